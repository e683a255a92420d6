import { NumberInput, Switch, Text, TextInput, Title } from "@mantine/core";
import { useRead } from "../../api/queries";
import { useAct } from "../../parts/act";
import areaClasses from "../../parts/area/Area.module.css";
import { useDraft } from "../../parts/forms/useDraft";
import { AtField } from "../../parts/forms/AtField";
import { Form } from "../../parts/forms/FormDrawer";
import { Moment } from "../../parts/Moment";
import { Unread } from "../../parts/Unread";
import { planRead, planSave, valuesOf, type Following, type Values } from "./following";

const hours = 3_600_000;

interface Props {
  /** Of which login provider; of that of the settings without. */
  providerId?: string;
  /** Whether people can sign in through it: otherwise nothing is read. */
  isInUse: boolean;
  byOperator?: boolean;
}

/** Whether the settings follow the provider's metadata, and how that goes. */
export function MetadataFollowing(props: Props) {
  const { providerId, isInUse } = props;
  const read = useRead(planRead(providerId), {
    // The first reading comes by itself, soon after following is switched on.
    refetchInterval: ({ state: { data } }) => (isInUse && data?.data.enabled && !data.data.attemptedAt ? 5_000 : false),
  });
  if (!read.data) return <Unread read={read} rows={3} />;
  return <FollowingForm stored={read.data} {...props} />;
}

function FollowingForm({ stored, providerId, isInUse, byOperator = false }: Props & { stored: Following }) {
  const isPage = providerId === undefined;
  const { start, draft: values, isChanged, change: set, setStart } = useDraft(valuesOf(stored));
  const { act, busy, error } = useAct({ inline: true });
  const plan = (wanted: Values) => planSave(providerId, wanted);

  async function save() {
    const done = await act({
      request: plan(values),
      done: values.enabled ? "The settings follow the metadata." : "The settings do not follow the metadata.",
      undo: plan(start),
    });
    if (done) setStart(values);
  }

  return (
    <section className={isPage ? `card ${areaClasses.narrow}` : areaClasses.section} aria-label="Follow the metadata">
      <Form
        request={plan(values)}
        action="Save"
        busy={busy}
        error={error}
        because={
          byOperator
            ? "The operator set this up in the environment of the server, and so it follows nothing."
            : values.enabled && values.url.trim() === ""
              ? "The URL of the metadata is missing."
              : isChanged
                ? undefined
                : "Nothing is changed yet."
        }
        isChanged={isChanged}
        onSubmit={() => void save()}
      >
        <Title order={isPage ? 2 : 3}>Follow the provider’s metadata</Title>
        <Text size="sm">
          The server reads the metadata at intervals, and puts its certificates and URLs in the place of those above,
          with an event in the event log, as long as it is of the same entity id. Whoever controls the URL decides who
          can sign in.
        </Text>
        <Switch
          label="The settings follow the metadata"
          checked={values.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
        <AtField of="url">
          <TextInput
            label="URL of the metadata"
            description="https. When following is switched on, it is read once to see whether it can be followed."
            maxLength={2000}
            spellCheck={false}
            autoComplete="off"
            value={values.url}
            onChange={(event) => set({ url: event.currentTarget.value })}
          />
        </AtField>
        <AtField of="intervalHours">
          <NumberInput
            label="Hours from one reading to the next"
            min={1}
            max={720}
            allowDecimal={false}
            value={values.intervalHours}
            onChange={(value) => set({ intervalHours: Number(value) || 0 })}
          />
        </AtField>
        <Progress {...stored} isInUse={isInUse} />
      </Form>
    </section>
  );
}

/** When the metadata was read, when it will be, and what was wrong with it. */
function Progress(following: Following & { isInUse: boolean }) {
  const { enabled, attemptedAt, succeededAt, problem, intervalHours, isInUse } = following;
  const next = attemptedAt && new Date(Date.parse(attemptedAt) + intervalHours * hours).toISOString();
  return (
    <dl className={areaClasses.facts} aria-label="How it goes">
      <Fact label="Last read">
        <Moment at={attemptedAt} />
      </Fact>
      <Fact label="Last followed">
        <Moment at={succeededAt} />
      </Fact>
      <Fact label="Outcome">
        {problem ? (
          <span className="danger">The metadata {problem}. The settings stay as they are.</span>
        ) : attemptedAt ? (
          <span className="good">✓ Read and followed</span>
        ) : (
          "none yet"
        )}
      </Fact>
      <Fact label="Next">
        {!enabled ? (
          "never: it is switched off"
        ) : !isInUse ? (
          "once people can sign in this way"
        ) : problem ? (
          "within an hour after the last"
        ) : next ? (
          <Moment at={next} />
        ) : (
          "within minutes"
        )}
      </Fact>
    </dl>
  );
}

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className={areaClasses.pair}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

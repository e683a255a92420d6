import { Stack, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEnvironments, useWhyNot } from "../../../api/queries";
import { onlyFor } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { EnvironmentName } from "../../../parts/EnvironmentName";
import { Sentence } from "../../../parts/events/EventSentence";
import { Moment } from "../../../parts/Moment";
import type { Found } from "../../../parts/rewind/eventsBack";
import { Log } from "../../../parts/rewind/Log";
import { Moments } from "../../../parts/rewind/Moments";
import { usePuttingBack } from "../../../parts/rewind/usePuttingBack";
import { useSegmentNames } from "../../../parts/strategies/segments";
import { number } from "../../../words/counts";
import { Comparison } from "../../feature/compare/Comparison";
import { differs } from "../../feature/compare/comparison";
import type { OfProject } from "../shown";
import { birth, filtersOf, partsOf, states, type Part, type State } from "./past";

/** The settings of a project as they were after each of its events, what differs from now, and the way back to them. */
export default function Rewind({ projectId, project, version }: OfProject) {
  return (
    <Log of={["project", projectId, version]} filters={filtersOf(projectId)} birth={birth}>
      {(found) => <View key={version} projectId={projectId} project={project} version={version} found={found} />}
    </Log>
  );
}

function View({ projectId, project, version, found }: OfProject & { found: Found }) {
  const segments = useSegmentNames();
  const environments = useEnvironments();
  const whyNot = useWhyNot();
  const { putBack, busy } = usePuttingBack();
  const typeOf = (name: string) => environments.find((one) => one.name === name)?.type;
  const around = { projectId, segments, known: new Set(environments.map(({ name }) => name)) };

  const restore = (parts: readonly Part[], what: string, when: string) =>
    putBack({
      title: `Put ${what} back`,
      action: "Put it back",
      planned: parts.flatMap(({ planned }) => planned ?? []).map((one, at) => (at === 0 ? onlyFor(one, version) : one)),
      done: `${what} of ${projectId}: as it was ${when}.`,
      consequence: (
        <>
          This will be as it was {when}. Later changes of the same are lost. Flags keep what they have.
          {parts.map(({ title, rows }) => (
            <section key={title}>
              <strong>{title}</strong>
              <Comparison label={`What changes, ${title}`} rows={rows.filter(differs)} heads={["Now", "Then"]} />
            </section>
          ))}
        </>
      ),
    });

  return (
    <Moments found={found} moments={states(project, found.events)} birth={birth}>
      {({ now, then, when, heads }) => {
        const parts = partsOf(now, then, around);
        const ready = parts.filter(({ planned }) => planned);
        return (
          <>
            {parts
              // Environments that are as they were would only make it longer.
              .filter(({ environment, rows }) => !environment || rows.some(differs))
              .map((part) => (
                <section key={part.title} aria-label={part.title}>
                  <Title order={3}>
                    {part.environment ? (
                      <EnvironmentName name={part.environment} type={typeOf(part.environment)} />
                    ) : (
                      part.title
                    )}
                  </Title>
                  <Comparison label={`${part.title}, now and then`} rows={part.rows} heads={heads} />
                  {part.because && <p className="muted">{part.because}</p>}
                  {part.planned && (
                    <ActionButton
                      variant="default"
                      request={part.planned}
                      loading={busy}
                      onClick={() => void restore([part], part.title, when)}
                    >
                      Put this back …<span className="visually-hidden"> {part.title}</span>
                    </ActionButton>
                  )}
                </section>
              ))}
            {ready.length > 1 && (
              <div>
                <ActionButton
                  request={ready[0]!.planned!}
                  loading={busy}
                  because={ready.map(({ planned }) => whyNot(planned!)).find(Boolean)}
                  onClick={() => void restore(ready, "the settings", when)}
                >
                  {`Put all ${number(ready.length)} back …`}
                </ActionButton>
              </div>
            )}
            <Members projectId={projectId} then={then} />
            <p className="muted">
              Members, required approvals and reviewers, API tokens and segments are not part of it: they stay as they
              are now.
            </p>
          </>
        );
      }}
    </Moments>
  );
}

const shownOfMembers = 10;

/** What happened to the members since. */
function Members({ projectId, then: { members } }: { projectId: string; then: State }) {
  if (members.length === 0) return null;
  return (
    <section aria-label="Members since">
      <Title order={3}>Members since</Title>
      <Stack gap={4}>
        {members.slice(0, shownOfMembers).map((event) => (
          <div key={event.id}>
            <Sentence event={event} />{" "}
            <span className="muted">
              <Moment at={event.createdAt} />
            </span>
          </div>
        ))}
        {members.length > shownOfMembers && (
          <div className="muted">and {number(members.length - shownOfMembers)} more</div>
        )}
        <Link to="/projects/$projectId/$tab" params={{ projectId, tab: "access" }}>
          Access to the project
        </Link>
      </Stack>
    </section>
  );
}

import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client";
import { useMe } from "../../api/queries";
import { because } from "../../api/reason";
import { tellFailure } from "../notices";
import { ExpectedImpact } from "../impact/ExpectedImpact";
import { Problem } from "../Problem";
import { RequestPreview } from "../requests/RequestPreview";
import { ReasonInput } from "../ReasonInput";
import { Waiting } from "../Waiting";
import { planned } from "./bulk";
import { Cannot } from "./Cannot";
import { doneInWords, idOf, inWords, productionOf, verdict, type Selected, type Task } from "./tasks";
import { detailsOf, trial, type Ask, type LeftOut } from "./trial";
import { useDoing } from "./useDoing";
import { counted, number } from "../../words/counts";
import { addToDraft } from "../../words/drafts";

interface Props {
  task: Task;
  features: readonly Selected[];
  onClose: (done: boolean) => void;
}

/** Above so many features, production asks for their number. */
const few = 10;
const listed = 50;
const ask: Ask = async (one) => (await send(one)).data;

/** What the server says would happen, before it does. */
export function BulkPreview({ task, features: chosen, onClose }: Props) {
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState("");
  const [along, setAlong] = useState<readonly Selected[]>([]);
  const [isWidening, setWidening] = useState(false);
  const permissions = useMe()?.permissions ?? [];
  const features = [...new Map([...along, ...chosen].map((feature) => [idOf(feature), feature])).values()];
  const dryRun = useQuery({
    queryKey: ["dryRun", task, features.map(idOf)],
    queryFn: () => trial(task, features, permissions, ask),
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const can = dryRun.data?.can ?? [];
  const cannot = dryRun.data?.cannot ?? [];
  const effects = dryRun.data?.effects ?? new Map<string, string[]>();
  const changed = can.filter((feature) => effects.has(idOf(feature)));
  const drafted = dryRun.data?.drafted ?? 0;
  const isDrafted = drafted > 0 && drafted === changed.length;
  const live = changed.filter((feature) => productionOf(task, feature).length > 0);
  const mustType = live.length > few;
  const { run, busy, error, refused, isStale } = useDoing(task, changed, {
    reason,
    inProduction: live.length > 0,
    onDone: () => onClose(true),
    onStale: () => void dryRun.refetch(),
  });
  const children = childrenOf(cannot);

  // What they are on in must be told of them as of those that were chosen.
  async function takeAlong() {
    setWidening(true);
    try {
      const details = await Promise.all(children.map((child) => detailsOf(child, ask)));
      setAlong([...along, ...details.map((one) => ({ ...one, dependencyType: "child" as const }))]);
    } catch (failure) {
      tellFailure(failure);
    } finally {
      setWidening(false);
    }
  }

  return (
    <Modal opened onClose={() => onClose(refused.length > 0)} size="lg" title={inWords(task)}>
      <Stack gap="md">
        {refused.length > 0 ? (
          <Outcome changed={changed.length - refused.length} task={task} refused={refused} />
        ) : dryRun.error ? (
          <Problem error={dryRun.error} again={() => void dryRun.refetch()} />
        ) : !dryRun.data || dryRun.isFetching ? (
          <Waiting />
        ) : (
          <>
            {isStale && <p role="alert">Something changed meanwhile. Look at it once more:</p>}
            <p>
              <strong>
                {verdict(task, {
                  changed: changed.length,
                  same: can.length - changed.length,
                  cannot: cannot.length,
                })}
              </strong>{" "}
              {!isDrafted && <InProduction task={task} live={live} />}
            </p>
            {drafted === 0 && live.length > 0 && <ExpectedImpact requests={planned(task, changed, false)} />}
            {drafted > 0 && (
              <p role="status">
                {isDrafted ? "This needs approval" : `${counted(drafted, "change")} of these need approval`}: it is
                added to your draft, and takes effect once it is approved and applied.
              </p>
            )}
            <Cannot leftOut={cannot} />
            {children.length > 0 && (
              <div>
                <Button variant="default" size="compact-sm" loading={isWidening} onClick={() => void takeAlong()}>
                  Take {cannot.length === 1 ? "its" : "their"} {children.length === 1 ? "child" : "children"} along
                </Button>
              </div>
            )}
            {changed.length > 0 && (
              <div className="preview" tabIndex={0} role="region" aria-label="What will change">
                <ul>
                  {changed.slice(0, listed).map((feature) => (
                    <li key={idOf(feature)} className="breaks">
                      <bdi>{feature.name}</bdi>{" "}
                      <span className="muted">
                        {[feature.project, ...(effects.get(idOf(feature)) ?? [])].join(", ")}
                        {task.kind === "archive" && productionOf(task, feature).map((name) => `, on in ▲ ${name}`)}
                      </span>
                    </li>
                  ))}
                  {changed.length > listed && <li className="muted">and {number(changed.length - listed)} more</li>}
                </ul>
              </div>
            )}
          </>
        )}
        {mustType && refused.length === 0 && (
          <TextInput
            label={`Type ${live.length}, the number of flags that change in production`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            inputMode="numeric"
          />
        )}
        {refused.length === 0 && !isDrafted && <ReasonInput reason={reason} onChange={setReason} />}
        <Problem error={error} />
        {refused.length === 0 && (
          <RequestPreview requests={planned(task, changed, false).map((one) => because(one, reason))} />
        )}
        <Group justify="flex-end" gap="sm" className="actions">
          <Button variant="default" onClick={() => onClose(refused.length > 0)} data-autofocus>
            {refused.length > 0 ? "Close" : "Cancel"}
          </Button>
          {refused.length === 0 && (
            <Button
              color={task.kind === "archive" && !isDrafted ? "red" : undefined}
              loading={busy}
              disabled={changed.length === 0 || (mustType && typed.trim() !== String(live.length))}
              onClick={() => void run()}
            >
              {isDrafted
                ? addToDraft
                : inWords(task, cannot.length > 0 && changed.length > 0 ? changed.length : undefined)}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

/** Those that depend on what is left out, each once. */
const childrenOf = (cannot: readonly LeftOut[]) => [
  ...new Map(cannot.flatMap(({ children = [] }) => children).map((child) => [idOf(child), child])).values(),
];

function InProduction({ task, live }: { task: Task; live: readonly Selected[] }) {
  const [first] = live;
  if (!first) return null;
  const names = [...new Set(live.flatMap((feature) => productionOf(task, feature)))].join(", ");
  if (task.kind !== "archive") return <>This is ▲ production.</>;
  return (
    <>
      {number(live.length)} of them {live.length === 1 ? "is" : "are"} on in ▲ {names} now: for applications{" "}
      {live.length === 1 ? "it is" : "they are"} then off.
    </>
  );
}

/** What was done where it could not be tried before. */
function Outcome({ task, changed, refused }: { task: Task; changed: number; refused: readonly LeftOut[] }) {
  return (
    <div role="alert">
      <p>
        <strong>
          {number(changed)} {changed === 1 ? "was" : "were"} {doneInWords(task)}; {number(refused.length)}{" "}
          {refused.length === 1 ? "was" : "were"} not:
        </strong>
      </p>
      <Cannot leftOut={refused} />
    </div>
  );
}

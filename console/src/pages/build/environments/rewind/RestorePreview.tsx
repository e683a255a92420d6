import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../../../api/client";
import { guardsRequest } from "../../../../api/guards";
import { readOnce, useMe, useRefresh } from "../../../../api/queries";
import { because } from "../../../../api/reason";
import { Cannot } from "../../../../parts/bulk/Cannot";
import { idOf } from "../../../../parts/bulk/tasks";
import { EnvironmentName, isProduction } from "../../../../parts/EnvironmentName";
import { ExpectedImpact } from "../../../../parts/impact/ExpectedImpact";
import { Problem } from "../../../../parts/Problem";
import { ReasonInput } from "../../../../parts/ReasonInput";
import { RequestPreview } from "../../../../parts/requests/RequestPreview";
import { Waiting } from "../../../../parts/Waiting";
import { counted, number } from "../../../../words/counts";
import { addToDraft } from "../../../../words/drafts";
import { Comparison } from "../../../feature/compare/Comparison";
import { aspectsOf, type FlagThen } from "./past";
import { prepare } from "./preparing";
import { useRestoring } from "./useRestoring";

interface Props {
  environment: string;
  type: string | undefined;
  chosen: readonly FlagThen[];
  segments: ReadonlyMap<number, string>;
  /** The moment in words. */
  when: string;
  /** Id of the newest event that the page knows. */
  newest: number;
  onClose: (done: boolean) => void;
}

/** Above so many flags, production asks for their number. */
const few = 10;
/** Flags that are compared in full; of more, it says what differs. */
const compared = 5;
const listed = 50;

/** What putting flags back comes to, before it is done. */
export function RestorePreview({ environment, type, chosen, segments, when, newest, onClose }: Props) {
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState("");
  const held = useMe()?.permissions ?? [];
  const refresh = useRefresh();
  const prepared = useQuery({
    queryKey: ["restoring", environment, newest, chosen.map(idOf), held],
    queryFn: ({ signal }) =>
      prepare({
        environment,
        chosen,
        newest,
        held,
        send: (planned) => send(planned, signal),
        guardsOf: (project) => readOnce(guardsRequest(project)),
      }),
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const { run, busy, error, refused } = useRestoring(() => onClose(true));
  const { steps = [], can = [], cannot = [], drafted = 0, isOutdated = false } = prepared.data ?? {};
  const isLive = isProduction(type);
  const isDrafted = drafted > 0 && drafted === steps.length;
  const mustType = isLive && can.length > few && !isDrafted;
  const planned = steps.map((one) => one.planned);
  const isReady = steps.length > 0 && !isOutdated && (!mustType || typed.trim() === String(can.length));
  const [first] = chosen;
  const close = () => {
    if (isOutdated) void refresh();
    onClose(refused.length > 0);
  };

  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      title={chosen.length === 1 && first ? `Put ${first.name} back` : `Put ${counted(chosen.length, "flag")} back`}
    >
      <Stack gap="md">
        {refused.length > 0 ? (
          <div role="alert">
            <p>
              <strong>{counted(refused.length, "flag was", "flags were")} not put back, or not whole:</strong>
            </p>
            <Cannot leftOut={refused} />
          </div>
        ) : prepared.error ? (
          <Problem error={prepared.error} again={() => void prepared.refetch()} />
        ) : !prepared.data ? (
          <Waiting />
        ) : isOutdated ? (
          <p role="alert">Something changed meanwhile: close this, and look at it once more.</p>
        ) : (
          <>
            <p>
              <strong>
                {cannot.length > 0
                  ? `${number(can.length)} can be put back; ${number(cannot.length)} cannot:`
                  : `${counted(can.length, "flag")} will be as ${can.length === 1 ? "it was" : "they were"} on ${when}.`}
              </strong>{" "}
              Only <EnvironmentName name={environment} type={type} /> changes. Later changes of the same are lost.
            </p>
            {drafted > 0 && (
              <p role="status">
                {isDrafted ? "This needs approval" : `${counted(drafted, "change")} of these need approval`}: it is
                added to your draft, and takes effect once it is approved and applied.
              </p>
            )}
            {isLive && !isDrafted && <ExpectedImpact requests={planned} />}
            <Cannot leftOut={cannot} />
            <Changes {...{ flags: can, segments, when }} />
          </>
        )}
        {refused.length === 0 && prepared.data && !isOutdated && (
          <>
            {mustType && (
              <TextInput
                label={`Type ${can.length}, the number of flags that change in production`}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
                inputMode="numeric"
              />
            )}
            {!isDrafted && <ReasonInput reason={reason} onChange={setReason} />}
            <RequestPreview requests={planned.map((one) => because(one, reason))} />
          </>
        )}
        <Problem error={error} />
        <Group justify="flex-end" gap="sm" className="actions">
          <Button variant="default" onClick={close} data-autofocus>
            {refused.length > 0 || isOutdated ? "Close" : "Cancel"}
          </Button>
          {refused.length === 0 && (
            <Button
              color={isLive && !isDrafted ? "red" : undefined}
              loading={busy}
              disabled={!isReady}
              onClick={() => void run(steps, reason)}
            >
              {isDrafted ? addToDraft : chosen.length === 1 ? "Put it back" : `Put ${number(can.length)} back`}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

interface ChangesProps {
  flags: readonly FlagThen[];
  segments: ReadonlyMap<number, string>;
  when: string;
}

/** What changes: of few flags side by side, of many in a list. */
function Changes({ flags, segments, when }: ChangesProps) {
  if (flags.length === 0) return null;
  if (flags.length <= compared)
    return flags.map((flag) => (
      <section key={idOf(flag)}>
        <strong className="breaks">
          <bdi>{flag.name}</bdi>
        </strong>
        {flag.missing.map((line) => (
          <p key={line}>{line}</p>
        ))}
        <Comparison
          label={`What changes of ${flag.name}`}
          rows={aspectsOf(flag, segments)}
          heads={["Now", `Then, ${when}`]}
        />
      </section>
    ));
  return (
    <div className="preview" tabIndex={0} role="region" aria-label="What will change">
      <ul>
        {flags.slice(0, listed).map((flag) => (
          <li key={idOf(flag)} className="breaks">
            <bdi>{flag.name}</bdi>{" "}
            <span className="muted">
              {[
                flag.project,
                ...aspectsOf(flag, segments).map(({ what, one, other }) =>
                  what === "State" ? `from ${one} to ${other}` : what.toLowerCase(),
                ),
                ...(flag.missing.length ? ["not exact"] : []),
              ].join(", ")}
            </span>
          </li>
        ))}
        {flags.length > listed && <li className="muted">and {number(flags.length - listed)} more</li>}
      </ul>
    </div>
  );
}

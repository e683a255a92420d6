import { Alert, Button, Group, Modal, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../api/queries";
import { because } from "../../api/reason";
import { useAct } from "../../parts/act";
import { entering, sizeOf, type ChangeRequest, type State } from "../../parts/change-requests/requests";
import { eventInWords } from "../../parts/events/sentence";
import { useFreezes } from "../../parts/freezes/FreezeBand";
import { Problem } from "../../parts/Problem";
import { ReasonInput } from "../../parts/ReasonInput";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import { Waiting } from "../../parts/Waiting";
import { counted } from "../../words/counts";
import type { Wish } from "./offers";
import { usualTime, When, whenObjection } from "./When";

export type Decision = Exclude<Wish, "discard">;

interface Words {
  to: State;
  title: string;
  action: string;
  done: string;
  danger?: boolean;
  explained: (request: ChangeRequest) => string;
}

const approvals = ({ minApprovals }: ChangeRequest) => counted(minApprovals, "approval");

const words: Record<Decision, Words> = {
  review: {
    to: "In review",
    title: "Send to review",
    action: "Send to review",
    done: "It is in review.",
    explained: (request) => `Others see it then. It needs ${approvals(request)} before it can be applied.`,
  },
  approve: {
    to: "Approved",
    title: "Approve",
    action: "Approve",
    done: "You approved it.",
    explained: (request) =>
      `You approve the ${counted(sizeOf(request), "change")} as shown. If anybody changes them, your approval is dropped.`,
  },
  reject: {
    to: "Rejected",
    title: "Reject",
    action: "Reject",
    done: "It is rejected.",
    danger: true,
    explained: () => "That is final: nothing of it is applied. Tell its author why.",
  },
  cancel: {
    to: "Cancelled",
    title: "Cancel the change request",
    action: "Cancel the change request",
    done: "It is cancelled.",
    danger: true,
    explained: () => "That is final: nothing of it is applied.",
  },
  apply: {
    to: "Applied",
    title: "Apply now",
    action: "Apply now",
    done: "It is applied.",
    explained: ({ environment }) => `All of it takes effect in ${environment} at once, or nothing of it.`,
  },
  schedule: {
    to: "Scheduled",
    title: "Schedule",
    action: "Schedule",
    done: "It is scheduled.",
    explained: () =>
      "It is applied at that time in your name, all of it or nothing. If somebody changes the same before, it is suspended and you are told.",
  },
};

interface Props {
  request: ChangeRequest;
  wish: Decision;
  /** As it was seen when this was opened. */
  version: string | undefined;
  /** Whether it has changed since. */
  isOutdated: boolean;
  onClose: () => void;
}

/** Asks once more before a change request enters a state, with a comment for the others. */
export function Decide({ request, wish, version, isOutdated, onClose }: Props) {
  const { to, title, action, done, danger, explained } = words[wish];
  const [comment, setComment] = useState("");
  const [at, setAt] = useState(() => request.schedule?.scheduledAt ?? usualTime());
  const { act, busy, error } = useAct({ inline: true });
  const isTimed = wish === "schedule";
  const objection = isTimed ? whenObjection(at) : undefined;
  const freeze = useFreezes(request.project).find(({ environment }) => environment === request.environment);
  const isFrozen = wish === "apply" && freeze !== undefined && !freeze.exempt;
  const [reason, setReason] = useState("");
  const planned = because(
    entering(request, { state: to, comment, ...(isTimed ? { scheduledAt: at } : {}) }, version),
    isFrozen ? reason : "",
  );
  const trial = useRead(entering(request, { state: to }, version, true), {
    enabled: wish === "apply" && !isOutdated && !isFrozen,
    staleTime: 0,
  });

  async function decide() {
    if (objection || isOutdated) return;
    if (await act({ request: planned, done })) onClose();
  }

  return (
    <Modal opened onClose={onClose} title={`${title}: ${request.title}`} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void decide();
        }}
      >
        <Stack gap="md">
          <p className="breaks">{explained(request)}</p>
          {isTimed && <When value={at} onChange={setAt} objection={objection} />}
          {wish === "apply" && !isFrozen && <Trial trial={trial} />}
          {isFrozen && (
            <Alert color="red" variant="outline" role="alert" title={`${request.environment} is frozen`}>
              <bdi>{freeze.reason}</bdi> Whoever may break the freeze needs a reason, which the event log keeps.
            </Alert>
          )}
          {isFrozen && <ReasonInput reason={reason} onChange={setReason} />}
          <Textarea
            data-autofocus={isTimed ? undefined : true}
            label="Comment"
            placeholder="optional"
            autosize
            minRows={2}
            maxRows={8}
            maxLength={1000}
            value={comment}
            onChange={(event) => setComment(event.currentTarget.value)}
          />
          {isOutdated && (
            <Alert color="red" variant="outline" role="alert">
              Somebody changed it since you opened this. Close it, and look at the changes once more.
            </Alert>
          )}
          <Problem error={error} />
          <RequestPreview requests={[planned]} />
          <Group justify="flex-end" gap="sm" className="actions">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button
              type="submit"
              color={danger ? "red" : undefined}
              loading={busy}
              disabled={isOutdated || objection !== undefined || (wish === "apply" && Boolean(trial.error))}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const listed = 20;

/** What the server says would happen. */
function Trial({
  trial,
}: {
  trial: {
    error: unknown;
    data?: { events: { type: string; featureName?: string | null; environment?: string | null }[] };
  };
}) {
  if (trial.error) return <Problem error={trial.error} />;
  if (!trial.data) return <Waiting />;
  const { events } = trial.data;
  return (
    <div className="preview" tabIndex={0} role="region" aria-label="What applying does">
      <ul>
        {events.slice(0, listed).map(({ type, featureName, environment }, at) => (
          <li key={at} className="breaks">
            {featureName && <bdi>{featureName} </bdi>}
            <span className="muted">{eventInWords(environment ? `${type} in ${environment}` : type)}</span>
          </li>
        ))}
        {events.length > listed && <li className="muted">and {counted(events.length - listed, "other")}</li>}
      </ul>
    </div>
  );
}

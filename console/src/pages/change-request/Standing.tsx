import { Alert } from "@mantine/core";
import { useGuards } from "../../api/queries";
import { isOpen, type ChangeRequest } from "../../parts/change-requests/requests";
import { Moment, WithMoments } from "../../parts/Moment";
import { conflictsOf } from "./offers";

/** What keeps a change request from being applied, and what to do about it. */
export function Standing({ request }: { request: ChangeRequest }) {
  const { state, schedule, environment, project } = request;
  const guards = useGuards(project);
  const guard = guards.find((one) => one.environment === environment);
  if (!isOpen(state)) return null;
  const conflicts = [...new Set(conflictsOf(request))];
  const isOff = guards.length > 0 && !guard?.changeRequestEnabled;
  return (
    <>
      {schedule?.status === "failed" && (
        <Alert color="red" variant="outline" role="alert" title="It could not be applied at its time">
          <WithMoments text={schedule.reason} />. Nothing of it was changed. Once that is settled, apply it now,
          schedule it anew, or reject it: it is not tried again by itself.
        </Alert>
      )}
      {schedule?.status === "suspended" && (
        <Alert color="red" variant="outline" role="alert" title="Its schedule is suspended">
          <WithMoments text={schedule.reason} />. It was to be applied at <Moment at={schedule.scheduledAt} absolute />.
          Look at the changes below, then schedule it anew, apply it now, or reject it: until then it is not applied.
        </Alert>
      )}
      {conflicts.length > 0 && (
        <Alert color="red" variant="outline" role="alert" title="It cannot be applied as things are">
          {conflicts.map((conflict) => (
            <div key={conflict}>
              <WithMoments text={conflict} />.
            </div>
          ))}
          Its author can discard the changes concerned; a scheduled one can only be rejected.
        </Alert>
      )}
      {isOff && (
        <Alert color="stone" variant="outline" role="status" title="Changes here need no approval any more">
          Change requests are switched off for {environment}. A scheduled one is still applied; others can only be
          cancelled.
        </Alert>
      )}
    </>
  );
}

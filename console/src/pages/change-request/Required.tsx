import { useRead } from "../../api/queries";
import { request as plan } from "../../api/request";
import classes from "./ChangeRequest.module.css";
import type { Shown } from "./shown";
import { neededInWords } from "./required";

const minute = 60_000;

/** Groups whose approval a change request needs besides the number of approvals, and lacks. */
export function Required({ request }: Pick<Shown, "request">) {
  const { approvals, minApprovals, state, missingReviewers = [] } = request;
  const isLacking = missingReviewers.length > 0;
  const read = useRead(plan("get", "/api/admin/user-admin/access"), { enabled: isLacking, staleTime: minute });
  if (!isLacking) return null;
  const names = new Map((read.data?.groups ?? []).map(({ id, name }) => [id, name] as const));
  const isWaiting = state === "In review" && approvals.length >= minApprovals;
  return (
    <div role="group" aria-label="Required reviewers" className={classes.required}>
      <strong>Required reviewers</strong>
      <p>Must still approve:</p>
      <ul className={classes.list}>
        {missingReviewers.map((rule, at) => (
          <li key={at} className="breaks">
            <bdi>{neededInWords(rule, names)}</bdi>
          </li>
        ))}
      </ul>
      {isWaiting && <p role="status">It has enough approvals, and waits for that of required reviewers.</p>}
    </div>
  );
}

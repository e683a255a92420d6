import { useExactRead, useRead, useReads } from "../../api/queries";
import { request as plan } from "../../api/request";
import { tagInWords } from "../../parts/tags";
import { rulesRequest } from "../project/settings/reviewers";
import classes from "./ChangeRequest.module.css";
import type { Shown } from "./ChangeRequestPage";
import { missingOf, neededInWords, requiredOf, type Group } from "./required";

const minute = 60_000;
/** Of so many flags the tags are read. */
const mostFlags = 50;

/** Groups by their ids, with who is in them. */
function useGroups(isWanted: boolean): ReadonlyMap<number, Group> {
  const read = useRead(plan("get", "/api/admin/user-admin/access"), { enabled: isWanted, staleTime: minute });
  return new Map(
    (read.data?.groups ?? []).map(({ id, name, userIds }) => [id, { id, name, members: userIds }] as const),
  );
}

/** Groups whose approval a change request needs besides the number of approvals. */
export function Required({ request }: Pick<Shown, "request">) {
  const { project, environment, features, approvals, minApprovals, state } = request;
  // What is approved stays so, whatever is required since.
  const isWanted = state === "Draft" || state === "In review";
  const read = useExactRead(rulesRequest(project, environment), { enabled: isWanted, staleTime: minute });
  const rules = (isWanted && read.data?.rules) || [];
  const groups = useGroups(rules.length > 0);
  const flags = rules.some(({ tag }) => tag) ? features.slice(0, mostFlags).map(({ name }) => name) : [];
  const details = useReads(
    flags.map((featureName) =>
      plan("get", "/api/admin/projects/{projectId}/features/{featureName}", {
        params: { path: { projectId: project, featureName } },
      }),
    ),
  ).data;
  const tags = new Map(details.flatMap((one) => (one ? [[one.name, (one.tags ?? []).map(tagInWords)] as const] : [])));
  const required = requiredOf(request, rules, groups, tags);
  if (required.length === 0) return null;
  const isWaiting = state === "In review" && approvals.length >= minApprovals;
  return (
    <div role="group" aria-label="Required reviewers" className={classes.required}>
      <strong>Required reviewers</strong>
      <ul className={classes.list}>
        {required.map((one, at) => {
          const missing = missingOf(one);
          return (
            <li key={at} className="breaks">
              {one.isMet && <span className="good">✓ </span>}
              <bdi>{neededInWords(one)}</bdi>{" "}
              <span className="muted">
                {one.isMet === undefined
                  ? ""
                  : one.isMet
                    ? "approved it"
                    : missing.length
                      ? `missing: ${missing.join(", ")}`
                      : "must still approve"}
              </span>
            </li>
          );
        })}
      </ul>
      {isWaiting && <p role="status">It has enough approvals, and waits for that of required reviewers.</p>}
    </div>
  );
}

import type { Schemas } from "../../api/request";
import { counted } from "../../words/counts";

/** What becomes of the users and groups of a directory that is deleted. */
export function released({ userCount, groupCount }: Pick<Schemas["ScimDirectoryEntry"], "userCount" | "groupCount">) {
  const kept = [userCount > 0 && counted(userCount, "user"), groupCount > 0 && counted(groupCount, "group")].filter(
    Boolean,
  );
  if (kept.length === 0) return "No user and no group belongs to it.";
  const stay = `${kept.join(" and ")} ${userCount + groupCount === 1 ? "is" : "are"} then managed by hand. Roles stay.`;
  if (userCount === 0) return stay;
  return `${stay} Whoever leaves the company must be deactivated here, and users whom it deactivated stay deactivated.`;
}

import type { Schemas } from "../../api/request";
import type { ChangeRequest } from "../../parts/change-requests/requests";
import { tagInWords } from "../../parts/tags";
import { fits } from "../project/settings/pattern";

type Rule = Schemas["ReviewerRule"];

/** A group with the users in it, once they are known. */
export interface Group {
  id: number;
  name: string;
  members?: readonly number[];
}

/** How a rule about required reviewers stands. */
export interface Standing {
  /** "of flags with the tag team:payments"; empty for all changes. */
  about: string;
  need: Rule["need"];
  /** Its groups, with whether somebody of them approved: absent where that cannot be told. */
  groups: { name: string; hasApproved?: boolean }[];
  /** Whether it asks for nothing more: absent where that cannot be told. */
  isMet?: boolean;
}

/** Whether a rule is about one of these flags; where their tags are not known, it may be. */
function isAbout({ tag, namePattern }: Rule, flags: readonly string[], tags: ReadonlyMap<string, readonly string[]>) {
  if (tag) {
    const wanted = tagInWords(tag);
    return flags.some((name) => tags.get(name)?.includes(wanted) ?? true);
  }
  // A pattern that only the server can run may fit.
  if (namePattern !== undefined) return flags.some((name) => fits(namePattern, name).fits ?? true);
  return true;
}

const aboutInWords = ({ tag, namePattern }: Rule) =>
  tag
    ? `of flags with the tag ${tagInWords(tag)}`
    : namePattern === undefined
      ? ""
      : `of flags whose names match ${namePattern}`;

/** The rules that are about a change request, and who must still approve by each. */
export function requiredOf(
  request: Pick<ChangeRequest, "features" | "approvals">,
  rules: readonly Rule[],
  groups: ReadonlyMap<number, Group>,
  tags: ReadonlyMap<string, readonly string[]>,
): Standing[] {
  const flags = request.features.map(({ name }) => name);
  const approvers = request.approvals.map(({ createdBy }) => createdBy.id);
  return rules
    .filter((rule) => isAbout(rule, flags, tags))
    .map((rule) => {
      const found = rule.groups.map((id) => {
        const { name, members } = groups.get(id) ?? { name: `group ${id}` };
        // Nobody approved yet: whoever is in it, it is not given.
        const hasApproved = approvers.length === 0 ? false : members && approvers.some((one) => members.includes(one));
        return { name, hasApproved };
      });
      return { about: aboutInWords(rule), need: rule.need, groups: found, isMet: isMet(rule.need, found) };
    });
}

function isMet(need: Rule["need"], groups: Standing["groups"]): boolean | undefined {
  const given = groups.map(({ hasApproved }) => hasApproved);
  // The groups of a rule that are gone are approved by nobody.
  if (given.length === 0) return false;
  const [decisive, otherwise] = need === "any" ? [true, false] : [false, true];
  if (given.includes(decisive)) return decisive;
  return given.includes(undefined) ? undefined : otherwise;
}

/** "one of Payments and SRE, of flags with the tag team:payments" */
export function neededInWords({ about, need, groups }: Standing): string {
  if (groups.length === 0)
    return `nobody can: the groups of a rule${about && ` ${about}`} are gone, and its project must name others`;
  const names = groups.map(({ name }) => name).join(", ");
  const who = groups.length === 1 ? names : `${need === "any" ? "one of" : "each of"} ${names}`;
  return about ? `${who} (owners ${about})` : who;
}

/** The groups that have not approved, where others of their rule have, and each must. */
export const missingOf = ({ need, groups, isMet }: Standing): string[] =>
  isMet === false && need === "each" && groups.some(({ hasApproved }) => hasApproved)
    ? groups.filter(({ hasApproved }) => hasApproved === false).map(({ name }) => name)
    : [];

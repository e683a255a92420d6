import type { Schemas } from "../../api/request";
import { tagInWords } from "../../parts/tags";

type Rule = Schemas["ReviewerRule"];

const aboutInWords = ({ tag, namePattern }: Rule) =>
  tag
    ? `of flags with the tag ${tagInWords(tag)}`
    : namePattern === undefined
      ? ""
      : `of flags whose names match ${namePattern}`;

/** Whose approval a rule asks for, such as “one of Payments, SRE (owners of flags with the tag team:payments)”. */
export function neededInWords(rule: Rule, names: ReadonlyMap<number, string>): string {
  const about = aboutInWords(rule);
  const groups = rule.groups.map((id) => names.get(id) ?? `group ${id}`);
  if (groups.length === 0)
    return `nobody can approve: the groups of a rule${about && ` ${about}`} are gone, and its project must name others`;
  const all = groups.join(", ");
  const who = groups.length === 1 ? all : `${rule.need === "any" ? "one of" : "each of"} ${all}`;
  return about ? `${who} (owners ${about})` : who;
}

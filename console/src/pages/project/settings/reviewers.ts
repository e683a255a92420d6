import { request, type Schemas } from "../../../api/request";
import { parseTags, tagInWords } from "../../../parts/tags";
import { fits } from "./pattern";

type Rule = Schemas["ReviewerRule"];

/** A rule about required reviewers in its form. */
export type RuleDraft = {
  about: "all" | "tag" | "name";
  /** As it is typed: `type:value`. */
  tag: string;
  namePattern: string;
  need: Rule["need"];
  groups: number[];
};

export const blankRule: RuleDraft = { about: "all", tag: "", namePattern: "", need: "any", groups: [] };

/** The API takes no more. */
export const mostRules = 50;
export const mostGroups = 20;

export const draftOf = ({ tag, namePattern, need, groups }: Rule): RuleDraft => ({
  about: tag ? "tag" : namePattern === undefined ? "all" : "name",
  tag: tag ? tagInWords(tag) : "",
  namePattern: namePattern ?? "",
  need,
  groups: [...groups],
});

/** A rule as it is sent: without what it is not about. */
export function ruleOf({ about, tag, namePattern, need, groups }: RuleDraft): Rule {
  const [parsed] = parseTags([tag]).tags;
  return {
    ...(about === "tag" && parsed ? { tag: parsed } : {}),
    ...(about === "name" ? { namePattern } : {}),
    need,
    groups,
  };
}

/** Why one rule cannot be saved, by its field. */
export function objectionsTo({ about, tag, namePattern, groups }: RuleDraft) {
  const pattern = namePattern.trim() === "" ? "A pattern is missing." : fits(namePattern, "").objection;
  return {
    tag: about === "tag" ? (tag.trim() === "" ? "A tag is missing." : parseTags([tag]).objection) : undefined,
    namePattern: about === "name" ? pattern : undefined,
    groups:
      groups.length === 0
        ? "Choose a group."
        : groups.length > mostGroups
          ? `A rule has at most ${mostGroups} groups.`
          : undefined,
  };
}

/** Why rules cannot be saved: the first reason, with the number of its rule. */
export function objectionTo(rules: readonly RuleDraft[]): string | undefined {
  for (const [at, rule] of rules.entries()) {
    const found = Object.values(objectionsTo(rule)).find(Boolean);
    if (found) return `Rule ${at + 1}: ${found}`;
  }
  return undefined;
}

const path = "/api/admin/projects/{projectId}/environments/{environment}/change-requests/reviewers";

export const rulesRequest = (projectId: string, environment: string) =>
  request("get", path, { params: { path: { projectId, environment } } });

export const settingRules = (projectId: string, environment: string, rules: readonly RuleDraft[]) =>
  request("put", path, { params: { path: { projectId, environment } }, body: { rules: rules.map(ruleOf) } });

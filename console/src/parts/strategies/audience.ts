import type { Schemas } from "../../api/request";
import { sharesInWords } from "../variants/weights";

type Strategy = Schemas["FeatureStrategy"];
type Constraint = Schemas["Constraint"];

const operators: Record<Constraint["operator"], string> = {
  IN: "is",
  NOT_IN: "is not",
  STR_CONTAINS: "contains",
  STR_STARTS_WITH: "starts with",
  STR_ENDS_WITH: "ends with",
  NUM_EQ: "=",
  NUM_GT: ">",
  NUM_GTE: "≥",
  NUM_LT: "<",
  NUM_LTE: "≤",
  DATE_AFTER: "is after",
  DATE_BEFORE: "is before",
  SEMVER_EQ: "is version",
  SEMVER_GT: "is newer than version",
  SEMVER_LT: "is older than version",
  SEMVER_GTE: "is at least version",
  SEMVER_LTE: "is at most version",
  REGEX: "matches the pattern",
};

export const operatorNames = Object.keys(operators) as Constraint["operator"][];
export const inWords = (operator: Constraint["operator"]) => operators[operator] ?? operator;
export const takesOneValue = (operator: Constraint["operator"]) => /^((NUM|DATE|SEMVER)_|REGEX$)/.test(operator);

/** At most three values by name: the others are a number. */
export function some(values: readonly string[], shown = 3): string {
  const named = values.slice(0, shown).join(", ");
  return values.length > shown ? `${named} and ${values.length - shown} more` : named;
}

export function constraintSentence({ contextName, operator, values, value, inverted }: Constraint): string {
  const wanted = takesOneValue(operator) ? (value ?? "") : some(values ?? []);
  return `${inverted ? "not: " : ""}${contextName} ${inWords(operator)} ${wanted || "nothing"}`;
}

const list = (text: string | undefined) =>
  (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

function share({ name, parameters = {} }: Strategy): string {
  switch (name) {
    case "flexibleRollout": {
      const rollout = parameters.rollout ?? "0";
      const by = parameters.stickiness;
      return rollout === "100" ? "everybody" : `${rollout} %${by && by !== "default" ? ` by ${by}` : ""}`;
    }
    case "default":
      return "everybody";
    case "userWithId":
      return `users ${some(list(parameters.userIds)) || "none"}`;
    case "remoteAddress":
      return `addresses ${some(list(parameters.IPs)) || "none"}`;
    case "applicationHostname":
      return `hosts ${some(list(parameters.hostNames)) || "none"}`;
    default:
      return `${name}${Object.entries(parameters)
        .map(([key, value]) => `, ${key} ${value}`)
        .join("")}`;
  }
}

/** Who gets it by this strategy: "30 % where country is no, dk, with the variants blue 50 %, green 50 %". */
export function audience(strategy: Strategy, segments: ReadonlyMap<number, string> = new Map()): string {
  const conditions = [
    ...(strategy.constraints ?? []).map(constraintSentence),
    ...(strategy.segments ?? []).map((id) => `in segment ${segments.get(id) ?? id}`),
  ];
  const given = strategy.variants?.length ? `, with the variants ${sharesInWords(strategy.variants)}` : "";
  return share(strategy) + (conditions.length ? ` where ${conditions.join(" and ")}` : "") + given;
}

/** Who gets it where this is on. */
export function audiences(
  strategies: readonly Strategy[] | undefined,
  segments?: ReadonlyMap<number, string>,
): string[] {
  return (strategies ?? []).filter(({ disabled }) => !disabled).map((strategy) => audience(strategy, segments));
}

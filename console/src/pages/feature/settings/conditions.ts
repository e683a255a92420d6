import type { Schemas } from "../../../api/request";

type Dependency = Schemas["FeatureDependency"];

/** What a parent must be for a flag to be evaluated at all. */
export const conditions = [
  { value: "on", label: "is on" },
  { value: "off", label: "is off" },
  { value: "variant", label: "is on with a variant" },
] as const;

export type Condition = (typeof conditions)[number]["value"];

/** The part of a dependency that says what its parent must be. */
export const stateOf = (condition: Condition, variants: string[]): Pick<Dependency, "enabled" | "variants"> =>
  condition === "off" ? { enabled: false } : { enabled: true, variants: condition === "variant" ? variants : [] };

/** "being on", "being off", "being on with blue or green". */
export function conditionInWords({ enabled, variants }: Pick<Dependency, "enabled" | "variants">): string {
  if (enabled === false) return "being off";
  return variants?.length ? `being on with ${variants.join(" or ")}` : "being on";
}

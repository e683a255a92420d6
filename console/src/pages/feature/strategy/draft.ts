import type { Schemas } from "../../../api/request";
import { constraintObjections } from "../../../parts/strategies/values";
import { objections as wrongVariants } from "../../../parts/variants/weights";

type Strategy = Schemas["FeatureStrategy"];
type Constraint = Schemas["Constraint"];

/** What the form of a strategy holds: the body that it is saved by. */
export type Draft = {
  name: string;
  title: string;
  disabled: boolean;
  parameters: Record<string, string>;
  constraints: Constraint[];
  segments: number[];
  variants: Schemas["StrategyVariant"][];
};

export function draftOf(strategy: Strategy | undefined, featureName: string): Draft {
  const parameters = strategy?.parameters ?? { rollout: "100", stickiness: "default", groupId: featureName };
  return {
    name: strategy?.name ?? "flexibleRollout",
    title: strategy?.title ?? "",
    disabled: strategy?.disabled ?? false,
    parameters,
    constraints: strategy?.constraints ?? [],
    segments: strategy?.segments ?? [],
    variants: strategy?.variants ?? [],
  };
}

/** Another kind has other parameters; those that both have are kept. */
export function ofKind(draft: Draft, kind: Schemas["StrategyType"], featureName: string): Draft {
  const usual: Record<string, string> = { rollout: "100", stickiness: "default", groupId: featureName };
  const parameters = Object.fromEntries(
    kind.parameters.map(({ name }) => [
      name,
      draft.parameters[name] ?? (kind.name === "flexibleRollout" ? (usual[name] ?? "") : ""),
    ]),
  );
  return { ...draft, name: kind.name, parameters };
}

/** Why it cannot be saved as it is; constraints that were stored before stay as they are. */
export function objections(
  draft: Draft,
  kind: Schemas["StrategyType"] | undefined,
  stored?: readonly Constraint[],
): string[] {
  const missing = (kind?.parameters ?? [])
    .filter(({ name, required }) => required && !draft.parameters[name])
    .map(({ name }) => `${name} is missing.`);
  return [...missing, ...constraintObjections(draft.constraints, stored), ...wrongVariants(draft.variants)];
}

import { strategyOf } from "../../api/proposals";
import type { Schemas } from "../../api/request";
import type { FeatureChange, FeatureChanges, SegmentChange } from "../../parts/change-requests/requests";
import { same, type Plain } from "../../parts/conflict/merge";
import { settingsChanged } from "../../parts/events/detail";
import { audience, constraintSentence } from "../../parts/strategies/audience";
import { sharesInWords } from "../../parts/variants/weights";
import { meaning } from "../feature/compare/comparison";
import { conditionInWords } from "../feature/settings/conditions";

export type Change = FeatureChange | SegmentChange;
type Strategy = Schemas["FeatureStrategy"];
type Segments = ReadonlyMap<number, string>;

/** What a change does: a sentence with `{feature}` and `{environment}`, and what is so before and after it. */
export interface Said {
  template: string;
  before?: string;
  after?: string;
}

/** What a strategy is called: by its title, or by its type. */
const calledBy = ({ title, name }: { title?: string | null; name?: string | null }) =>
  title ? `the strategy “${title}”` : name ? `a strategy ${name}` : "a strategy";

const inWords = (strategy: Strategy, segments: Segments) =>
  audience(strategy, segments) + (strategy.disabled ? ", disabled" : "");

const detailed = (said: string, detail: string | undefined) => (detail ? `${said}: ${detail}` : said);

const constraintsOf = ({ constraints }: { constraints: Schemas["Constraint"][] }) =>
  constraints.map(constraintSentence).join(" and ") || "everybody";

/** What a change is about, as it was when the change was recorded and as it is to be; absent where it is taken away. */
export function versionsOf(change: Change): { before: Plain; after: Plain | undefined } | undefined {
  switch (change.action) {
    case "updateStrategy":
    case "deleteStrategy": {
      const { snapshot } = change.payload;
      if (!snapshot) return undefined;
      const after = change.action === "updateStrategy" ? meaning(change.payload) : undefined;
      return { before: meaning(snapshot), after };
    }
    case "patchVariant": {
      const { snapshot, variants } = change.payload;
      return snapshot ? { before: { variants: snapshot }, after: { variants } } : undefined;
    }
    case "updateSegment":
    case "deleteSegment": {
      const { snapshot } = change.payload;
      if (!snapshot) return undefined;
      const after = change.action === "updateSegment" ? segmentOf(change.payload) : undefined;
      return { before: segmentOf(snapshot), after };
    }
    default:
      return undefined;
  }
}

export const segmentOf = ({
  name,
  description,
  constraints,
}: Pick<Schemas["Segment"], "name" | "constraints"> & { description?: string | null }): Plain => ({
  name,
  description: description ?? "",
  constraints,
});

/** What somebody else changed since, and applying would overwrite: each property that is neither as it was nor as it is to be. */
export function overwritten(change: Change, now: Plain): string[] {
  const versions = versionsOf(change);
  if (!versions) return [];
  const { before, after } = versions;
  return Object.keys(now).filter((key) => !same(now[key], before[key]) && !(after && same(now[key], after[key])));
}

export function saidOf(change: Change, segments: Segments): Said {
  switch (change.action) {
    case "updateEnabled": {
      const { enabled, shouldActivateDisabledStrategies } = change.payload;
      const also = enabled && shouldActivateDisabledStrategies ? " and enables its disabled strategies" : "";
      return { template: `switches {feature} ${enabled ? "on" : "off"} in {environment}${also}` };
    }
    case "addStrategy":
      return {
        template: `adds ${calledBy(change.payload)} to {feature} in {environment}`,
        after: inWords(change.payload, segments),
      };
    case "updateStrategy": {
      const { snapshot, ...payload } = change.payload;
      const called = calledBy(snapshot ?? payload);
      const detail = snapshot && settingsChanged({ preData: meaning(snapshot), data: meaning(payload) });
      return {
        template: detailed(`changes ${called} of {feature} in {environment}`, detail),
        before: snapshot && inWords(snapshot, segments),
        after: inWords(payload, segments),
      };
    }
    case "deleteStrategy": {
      const { snapshot } = change.payload;
      return {
        template: `removes ${calledBy(snapshot ?? change.payload)} of {feature} in {environment}`,
        before: snapshot && inWords(snapshot, segments),
      };
    }
    case "reorderStrategy":
      return { template: "puts the strategies of {feature} in {environment} into another order" };
    case "patchVariant": {
      const { snapshot, variants } = change.payload;
      return {
        template: "changes the variants of {feature} in {environment}",
        before: snapshot && (sharesInWords(snapshot) || "none"),
        after: sharesInWords(variants) || "none",
      };
    }
    case "archiveFeature":
      return { template: "archives {feature}: applications no longer know it" };
    case "addDependency": {
      const { feature, ...state } = change.payload;
      return { template: `has {feature} depend on ${feature} ${conditionInWords(state)}` };
    }
    case "deleteDependency":
      return { template: "removes all that {feature} depends on" };
    case "updateSegment": {
      const { snapshot, ...payload } = change.payload;
      const detail = snapshot && settingsChanged({ preData: segmentOf(snapshot), data: segmentOf(payload) });
      const isRenamed = snapshot && snapshot.name !== payload.name;
      return {
        template: detailed(
          `changes the segment ${snapshot?.name ?? payload.name}`,
          [isRenamed && `name ${payload.name}`, detail].filter(Boolean).join(", ") || undefined,
        ),
        before: snapshot && constraintsOf(snapshot),
        after: constraintsOf(payload),
      };
    }
    case "deleteSegment":
      return {
        template: `deletes the segment ${change.payload.name ?? change.name}`,
        before: change.payload.snapshot && constraintsOf(change.payload.snapshot),
      };
    default:
      // Of a newer server.
      return { template: `does “${(change as Change).action}” to {feature} in {environment}` };
  }
}

/** What comes about by itself when the changes of a flag are applied. */
export function consequenceOf(consequence: NonNullable<FeatureChanges["defaultChange"]>, segments: Segments): string {
  if (consequence.action === "addStrategy")
    return `{feature} has no enabled strategy in {environment}: the default strategy is added, for ${inWords(consequence.payload, segments)}`;
  return "no strategy of {feature} is left in {environment}: it is switched off";
}

/** The strategy of an environment that a change is about, as it is now. */
export const strategyNow = (strategies: readonly Strategy[] | undefined, id: string) => {
  const found = strategies?.find((one) => one.id === id);
  return found && meaning(strategyOf(found));
};

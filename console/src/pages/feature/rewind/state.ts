import type { Schemas } from "../../../api/request";
import { conditionInWords } from "../settings/conditions";
import { folded, type Step } from "../../../parts/rewind/folding";
import { tagInWords } from "../../../parts/tags";

/** Type of the event before which there was no flag. */
export const birth = "feature-created";

type Event = Schemas["Event"];
type Feature = Schemas["FeatureDetails"];
export type Strategy = Schemas["FeatureStrategy"];
type Variant = Schemas["FeatureVariant"];
type Dependency = Schemas["FeatureDependency"];

/** A flag in one environment at some moment. */
export interface Place {
  enabled: boolean;
  strategies: Strategy[];
  variants: Variant[];
}

/** A flag at some moment: what its events tell of it. */
export interface State {
  settings: { description: string; type: string; stale: boolean; impressionData: boolean };
  tags: string[];
  dependencies: Dependency[];
  environments: Record<string, Place>;
}

/** The flag as it is now. */
export const stateOf = (feature: Feature): State => ({
  settings: {
    description: feature.description ?? "",
    type: feature.type,
    stale: feature.stale,
    impressionData: feature.impressionData,
  },
  tags: (feature.tags ?? []).map(tagInWords),
  dependencies: feature.dependencies,
  environments: Object.fromEntries(
    feature.environments.map(({ name, enabled, strategies = [], variants = [] }) => [
      name,
      { enabled, strategies, variants },
    ]),
  ),
});

type Stored = Record<string, unknown> & {
  id?: string;
  variants?: Variant[];
  strategyIds?: string[];
  feature?: string;
};

/** Takes one event back. */
export function before(state: State, event: Event): Step<State> {
  const here = event.environment ? state.environments[event.environment] : undefined;
  return here && event.environment
    ? beforeInPlace(state, event.environment, here, event)
    : event.environment
      ? { state, missing: `The project no longer uses ${event.environment}.` }
      : beforeOfAll(state, event);
}

function beforeInPlace(state: State, name: string, here: Place, { type, data, preData }: Event): Step<State> {
  const put = (changed: Partial<Place>): Step<State> => ({
    state: { ...state, environments: { ...state.environments, [name]: { ...here, ...changed } } },
  });
  const [after, earlier] = [data, preData] as (Stored | null | undefined)[];
  const unknown = { state, missing: `An event in ${name} does not hold what was there before it.` };
  const isThere = (id: string) => here.strategies.some((one) => one.id === id);
  // Something replaced it without an event.
  const replaced = { state, missing: `What became of a strategy in ${name} is not in the event log.` };
  switch (type) {
    case "feature-environment-enabled":
      return put({ enabled: false });
    case "feature-environment-disabled":
      return put({ enabled: true });
    case "feature-strategy-add":
      if (!after?.id) return unknown;
      return isThere(after.id) ? put({ strategies: here.strategies.filter(({ id }) => id !== after.id) }) : replaced;
    case "feature-strategy-remove":
      return earlier?.id ? put({ strategies: inserted(here.strategies, earlier as unknown as Strategy) }) : unknown;
    case "feature-strategy-update":
      if (!earlier?.id) return unknown;
      return isThere(earlier.id)
        ? put({ strategies: here.strategies.map((one) => (one.id === earlier.id ? (earlier as never) : one)) })
        : replaced;
    case "strategy-order-changed": {
      const ids = earlier?.strategyIds;
      if (!ids) return unknown;
      const at = ({ id = "" }: Strategy) => ids.indexOf(id);
      return put({ strategies: [...here.strategies].sort((one, other) => at(one) - at(other)) });
    }
    case "feature-environment-variants-updated":
      return earlier?.variants ? put({ variants: earlier.variants }) : unknown;
    default:
      return { state };
  }
}

/** Where its own order puts it, the last of those that have the same. */
function inserted(strategies: readonly Strategy[], strategy: Strategy): Strategy[] {
  const place = ({ sortOrder = 0 }: Strategy) => sortOrder;
  const at = strategies.findIndex((one) => place(one) > place(strategy));
  return at < 0 ? [...strategies, strategy] : [...strategies.slice(0, at), strategy, ...strategies.slice(at)];
}

function beforeOfAll(state: State, { type, label, data, preData }: Event): Step<State> {
  const [after, earlier] = [data, preData] as (Stored | null | undefined)[];
  const tag = (stored: Stored | null | undefined) => tagInWords(stored as unknown as Schemas["Tag"]);
  switch (type) {
    case "feature-metadata-updated": {
      if (!earlier) return { state, missing: "An event does not hold the settings before it." };
      const { description, type: kind, stale, impressionData } = earlier as unknown as Feature;
      return {
        state: { ...state, settings: { description: description ?? "", type: kind, stale, impressionData } },
      };
    }
    case "feature-stale-on":
    case "feature-stale-off":
      return { state: { ...state, settings: { ...state.settings, stale: type === "feature-stale-off" } } };
    case "feature-tagged":
      return { state: { ...state, tags: state.tags.filter((one) => one !== tag(after)) } };
    case "feature-untagged":
      return { state: { ...state, tags: [...new Set([...state.tags, tag(after?.value ? after : earlier)])].sort() } };
    case "feature-dependency-added":
      return {
        state: { ...state, dependencies: state.dependencies.filter(({ feature }) => feature !== after?.feature) },
      };
    case "feature-dependency-removed": {
      const dependency = { feature: after?.feature ?? "" };
      return {
        state: { ...state, dependencies: [...state.dependencies, dependency] },
        missing: `Whether ${dependency.feature} had to be on, off or with a variant is not in the event log.`,
      };
    }
    case "feature-dependencies-removed":
      return { state, missing: "The dependencies that were removed together are not in the event log." };
    case "feature-revived":
      return { state, missing: "Where it was on before it was archived is not in the event log." };
    case "feature-updated":
      return label?.startsWith("feature-link-")
        ? { state }
        : { state, missing: `What “${label ?? type}” changed is not known here.` };
    case "feature-import":
    case "feature-variants-updated":
      return { state, missing: "An event of an earlier version does not hold what was there before it." };
    default:
      return { state };
  }
}

/** The flag after each of its events, newest first; the first is the one of now. `events` are newest first, too. */
export const states = (now: State, events: readonly Event[]) => folded(now, events, before);

/** What is not about one environment, each in words. */
export const settingsInWords = ({ settings, tags, dependencies }: State): Record<string, string> => ({
  Description: settings.description,
  Type: settings.type,
  Stale: settings.stale ? "yes" : "no",
  "Impression data": settings.impressionData ? "yes" : "no",
  Tags: tags.join(", "),
  "Depends on": dependencies.map((one) => `${one.feature} ${conditionInWords(one)}`).join(", "),
});

import type { Schemas } from "../../../../api/request";
import { same } from "../../../../parts/conflict/merge";
import { idOf } from "../../../../parts/bulk/tasks";
import { comparison, differs, meaning, type Aspect } from "../../../feature/compare/comparison";
import { before, type Place, type State, type Strategy } from "../../../feature/rewind/state";

export type Event = Schemas["Event"];
/** What can be changed of an environment itself. */
export type Settings = Pick<Schemas["Environment"], "type" | "enabled" | "sortOrder" | "requiredApprovals">;

/** Types of the events that tell of an environment, of flags in it and of projects that use it. */
export const inPlace = [
  "feature-environment-enabled",
  "feature-environment-disabled",
  "feature-strategy-add",
  "feature-strategy-update",
  "feature-strategy-remove",
  "strategy-order-changed",
  "feature-environment-variants-updated",
  "features-imported",
  "environment-created",
  "environment-updated",
  "project-environment-added",
  "project-environment-removed",
] as const;

/** Types of the events that tell whether a flag was there at all, which happens in no environment. */
export const ofLives = [
  "feature-created",
  "feature-archived",
  "feature-revived",
  "feature-deleted",
  "feature-project-change",
] as const;

/** A flag in the environment, now and then. Of its strategies, only those that an event is about. */
export interface FlagThen {
  project: string;
  name: string;
  now: Place;
  then: Place;
  /** It was created since. */
  isNew: boolean;
  /** What the event log does not hold of it. */
  missing: string[];
  /** Its events that are taken back, newest first. */
  events: readonly Event[];
}

/** A flag that was there then, and is archived or deleted now. */
export interface Gone {
  project: string;
  name: string;
  how: "archived" | "deleted";
}

/** The environment as it was. */
export interface Past {
  /** Flags that were otherwise, by project and name. */
  flags: FlagThen[];
  gone: Gone[];
  /** Its settings then; absent where no event changed them. */
  settings: Settings | undefined;
  /** What the event log does not hold of the environment as a whole. */
  missing: string[];
}

type Stored = (Partial<Strategy> & { variants?: Place["variants"]; strategyIds?: string[] }) | null | undefined;
const after = ({ data }: Event) => data as Stored;
const earlier = ({ preData }: Event) => preData as Stored;

/** A strategy that no event tells more of than its place. */
const untold = (id: string): Strategy => ({ id, name: "" });

/** Changes that events do not tell of: strategies older than these were replaced or are gone. */
interface Silent {
  /** Moments of imports that replaced strategies. */
  imports: ReadonlySet<string>;
  /** Id of the event by which the project no longer used the environment; 0 for none. */
  removal: number;
}

/** A flag as it is now, as far as these events tell, newest first. */
function nowOf(events: readonly Event[], { imports, removal }: Silent): Place {
  const strategies = new Map<string, Strategy | undefined>();
  let enabled: boolean | undefined;
  let variants: Place["variants"] | undefined;
  let order: string[] | undefined;
  let isImported = false;
  const tell = (id: string | undefined, strategy: Strategy | undefined) => {
    if (id && !strategies.has(id)) strategies.set(id, strategy);
  };
  const ordered = new Set<string>();
  for (const event of events) {
    const isOfImport = imports.has(event.createdAt);
    isImported ||= isOfImport;
    const isRemoved = event.id < removal;
    const isGone = isRemoved || (isImported && !isOfImport);
    if (isRemoved) {
      enabled ??= false;
      variants ??= [];
    }
    switch (event.type) {
      case "feature-environment-enabled":
      case "feature-environment-disabled":
        enabled ??= event.type === "feature-environment-enabled";
        break;
      case "feature-strategy-add":
      case "feature-strategy-update":
        tell(after(event)?.id, isGone ? undefined : (after(event) as Strategy));
        break;
      case "feature-strategy-remove":
        tell(earlier(event)?.id, undefined);
        break;
      case "strategy-order-changed":
        if (isGone) break;
        order ??= after(event)?.strategyIds;
        for (const id of earlier(event)?.strategyIds ?? []) ordered.add(id);
        break;
      case "feature-environment-variants-updated":
        variants ??= after(event)?.variants;
        break;
      default:
    }
  }
  for (const id of ordered) tell(id, untold(id));
  const place = ({ id = "", sortOrder }: Strategy) => (order?.includes(id) ? order.indexOf(id) : (sortOrder ?? 0));
  const found = [...strategies.values()].filter((one) => one !== undefined);
  return {
    enabled: enabled ?? false,
    strategies: found.sort((one, other) => place(one) - place(other)),
    variants: variants ?? [],
  };
}

const told: Omit<State, "environments"> = {
  settings: { description: "", type: "", stale: false, impressionData: false },
  tags: [],
  dependencies: [],
};

/** A flag before these events, newest first, and what they do not hold of that. */
export function thenOf(environment: string, now: Place, events: readonly Event[]): { then: Place; missing: string[] } {
  let state: State = { ...told, environments: { [environment]: now } };
  const missing = new Set<string>();
  for (const event of events) {
    const step = before(state, event);
    state = step.state;
    if (step.missing) missing.add(step.missing);
  }
  return { then: state.environments[environment] ?? now, missing: [...missing] };
}

const sense = ({ enabled, strategies, variants }: Place) => ({
  enabled,
  variants,
  strategies: strategies.map((one) => [one.id, meaning(one)]),
});

/** Whether a flag was otherwise. Ids count, since the order of strategies does. */
const wasOtherwise = (now: Place, then: Place) =>
  now.enabled !== then.enabled || (!same(now, then) && !same(sense(now), sense(then)));

/** A flag by its events since then, newest first; nothing where it was not there then and is not now. */
function flagOf(environment: string, events: readonly Event[], silent: Silent): FlagThen | Gone | undefined {
  const { project, featureName } = events[0]!;
  const flag = { project: project ?? "", name: featureName ?? "" };
  const birth = events.findIndex(({ type }) => type === "feature-created");
  const own = birth < 0 ? events : events.slice(0, birth);
  const life = own.find(
    ({ type }) => type === "feature-archived" || type === "feature-deleted" || type === "feature-revived",
  );
  if (life && life.type !== "feature-revived") {
    if (birth >= 0) return undefined;
    const isDeleted = own.some(({ type }) => type === "feature-deleted");
    return { ...flag, how: isDeleted ? "deleted" : "archived" };
  }
  const now = nowOf(own, silent);
  const { then, missing } = thenOf(environment, now, own);
  if (silent.imports.size > 0 && birth < 0)
    missing.push("An import replaced its strategies: those before may not be in the event log.");
  if (birth >= 0 && events.slice(birth + 1).length > 0)
    missing.push("Another flag of this name was deleted before this one was created: it cannot come back.");
  if (!wasOtherwise(now, then)) return undefined;
  return { ...flag, now, then, missing, isNew: birth >= 0, events: own };
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** Changes of flags that events do not tell of, by the events of a flag. */
function silentChanges(events: readonly Event[]): (flag: readonly Event[]) => Silent {
  const imports = new Set(
    events
      .filter(({ type }) => type === "features-imported")
      .map(({ project, createdAt }) => `${project} ${createdAt}`),
  );
  const removals = events.filter(({ type }) => type === "project-environment-removed");
  return (flag) => {
    const of = (type: string) => new Set(flag.filter((one) => one.type === type).map(({ createdAt }) => createdAt));
    const [added, removed] = [of("feature-strategy-add"), of("feature-strategy-remove")];
    const project = flag[0]?.project;
    return {
      imports: new Set([...added].filter((at) => imports.has(`${project} ${at}`) && !removed.has(at))),
      removal: removals.find((one) => one.project === project)?.id ?? 0,
    };
  };
}

/**
 * The environment before these events, newest first: what it and its flags were, where that is otherwise now. The events
 * alone tell both sides, so that no flag is read for it.
 */
export function pastOf(environment: string, events: readonly Event[]): Past {
  const silent = silentChanges(events);
  const flags: FlagThen[] = [];
  const gone: Gone[] = [];
  const named = events.filter(({ featureName }) => featureName);
  for (const some of grouped(named, ({ featureName }) => featureName ?? "").values()) {
    const found = flagOf(environment, some, silent(some));
    if (found && "how" in found) gone.push(found);
    else if (found) flags.push(found);
  }
  const byName = (one: { project: string; name: string }, other: { project: string; name: string }) =>
    idOf(one) < idOf(other) ? -1 : 1;
  const missing = new Set<string>();
  for (const { type, project } of events)
    if (type === "project-environment-removed")
      missing.add(
        `${project} no longer used the environment: what its flags were in it before is not in the event log.`,
      );
  const oldest = events.findLast(({ type }) => type === "environment-updated");
  if (oldest && !oldest.preData) missing.add("An event does not hold the settings of the environment before it.");
  return {
    flags: flags.sort(byName),
    gone: gone.sort(byName),
    settings: (oldest?.preData as Settings | undefined) ?? undefined,
    missing: [...missing],
  };
}

/** How a flag was otherwise, in words. */
export function aspectsOf({ now, then }: FlagThen, segments?: ReadonlyMap<number, string>): Aspect[] {
  const found = comparison(now, then, segments).filter(differs);
  // Those that do the same may stand in another order.
  return found.length ? found : [{ what: "Order of strategies", one: "another one", other: "as it was" }];
}

/** Whether nothing but the switch is otherwise. */
export const isSwitchedOnly = ({ now, then }: FlagThen) =>
  now.enabled !== then.enabled && !wasOtherwise(now, { ...then, enabled: now.enabled });

import type { Schemas } from "../../api/request";
import { template } from "./sentence";
import { counted } from "../../words/counts";

type Event = Schemas["Event"];

/** Events next to each other in the list that one act made: many at once, by one person, for one reason. */
export interface EventGroup {
  events: Event[];
  /** What they have in common, in words. */
  said: string;
}

const fewest = 4;

/** All that one act changes is written at one moment, to the millisecond. */
const isOneAct = (one: Event, next: Event) =>
  one.createdBy === next.createdBy &&
  one.project === next.project &&
  one.reason === next.reason &&
  one.createdAt === next.createdAt;

/** The list, with those that belong together as one entry. */
export function grouped(events: readonly Event[]): (Event | EventGroup)[] {
  const runs: Event[][] = [];
  for (const event of events) {
    const run = runs.at(-1);
    if (run && isOneAct(run.at(-1)!, event)) run.push(event);
    else runs.push([event]);
  }
  return runs.flatMap((run): (Event | EventGroup)[] =>
    run.length < fewest ? run : [{ events: run, said: saidOf(run) }],
  );
}

export const isGroup = (entry: Event | EventGroup): entry is EventGroup => "events" in entry;

const flags = (count: number) => (count === 1 ? "a flag" : counted(count, "flag"));

function saidOf(events: readonly Event[]): string {
  const types = new Set(events.map(({ type }) => type));
  const count = new Set(events.map(({ featureName }) => featureName).filter(Boolean)).size;
  if (types.has("features-imported")) return `imported ${flags(count)}`;
  const [type] = types;
  const environments = new Set(events.map(({ environment }) => environment));
  const [environment] = environments;
  if (types.size > 1 || !type || count < 2 || environments.size > 1)
    return `made ${counted(events.length, "change")}${count > 1 ? ` to ${flags(count)}` : ""}`;
  return template(type)
    .replace(/(the flag )?\{feature\}/, flags(count))
    .replace(/ ?(in )?\{environment\}/, environment ? ` in ${environment}` : "")
    .replace(/ ?(into |to |of |from )?\{project\}/, "");
}

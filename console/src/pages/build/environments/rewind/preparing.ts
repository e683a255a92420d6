import { draftedIn, type Guard } from "../../../../api/guards";
import { placeOf, refusalFor, type Held } from "../../../../api/permissions";
import { isMissing } from "../../../../api/refusal";
import { onlyFor, request, type Planned, type Schemas } from "../../../../api/request";
import type { Reply } from "../../../../api/client";
import { partsOf } from "../../../../parts/bulk/bulk";
import { idOf, type Named, type Task } from "../../../../parts/bulk/tasks";
import { trial, type LeftOut } from "../../../../parts/bulk/trial";
import { restoring } from "../../../feature/rewind/restoring";
import { stateOf, type State } from "../../../feature/rewind/state";
import { isSwitchedOnly, thenOf, type FlagThen } from "./past";
import { eventsRequest } from "./log";

/** Flags whose strategies or variants are restored at once, at most: each of them is read and changed by itself. */
export const mostRestored = 200;
const atOnce = 6;
/** New events that are looked through for the chosen flags; where there are more, the page is out of date. */
const lookedThrough = 100;

/** Makes a call, and gives its answer with its version. */
export type Send = <A>(planned: Planned<A>) => Promise<Reply<A>>;

/** Which environments of a project need approvals. */
export type GuardsOf = (project: string) => Promise<readonly Guard[]>;

/** A request, and the flags that it restores. */
export interface Step {
  planned: Planned;
  features: Named[];
}

/** What restoring flags comes to, before anything is done. */
export interface Prepared {
  /** In their order: what is to be off is so first, and what is to be on is so after all else. */
  steps: Step[];
  can: FlagThen[];
  cannot: LeftOut[];
  /** How many of the requests become part of a draft. */
  drafted: number;
  /** Some of them were changed since the page was read. */
  isOutdated: boolean;
}

interface Asked {
  environment: string;
  chosen: readonly FlagThen[];
  /** Id of the newest event that the page knows. */
  newest: number;
  held: Held;
  send: Send;
  guardsOf: GuardsOf;
}

/** Works out how flags become as they were, and which cannot. */
export async function prepare(asked: Asked): Promise<Prepared> {
  const { environment, chosen, newest, held, send, guardsOf } = asked;
  const switched = chosen.filter(isSwitchedOnly);
  const others = chosen.filter((flag) => !isSwitchedOnly(flag));
  const ways = await inTurn(others.slice(0, mostRestored), (flag) => wayOf(flag, asked));
  const switching = async (enabled: boolean): Promise<Way> => {
    const task: Task = { kind: "switch", environment, enabled };
    const some = switched.filter(({ then }) => then.enabled === enabled).map(named);
    if (some.length === 0) return { steps: [], cannot: [] };
    const { can, cannot } = await trial(task, some, held, async (planned) => (await send(planned)).data);
    return { steps: partsOf(task, can, false), cannot };
  };
  const [off, on] = [await switching(false), await switching(true)];
  const reason = `At most ${mostRestored} flags are restored at once. Put the others back afterwards.`;
  const cannot = [
    ...[off, ...ways, on].flatMap((way) => way.cannot),
    ...others.slice(mostRestored).map((flag) => ({ feature: named(flag), reason })),
  ];
  const left = new Set(cannot.map(({ feature }) => idOf(feature)));
  const steps = [off, ...ways, on].flatMap((way) => way.steps);
  const drafted = await inTurn(steps, async ({ planned, features: [feature] }) =>
    draftedIn(planned, await guardsOf(feature?.project ?? ""), held),
  );
  // After all has been read: what comes later than these events is refused by the versions.
  const { events } = (await send(eventsRequest(environment, 0, lookedThrough))).data;
  const fresh = events.filter(({ id }) => id > newest);
  const names = new Set<string | null | undefined>(chosen.map(({ name }) => name));
  return {
    steps,
    can: chosen.filter((flag) => !left.has(idOf(flag))),
    cannot,
    drafted: drafted.filter((place) => place !== undefined).length,
    isOutdated: fresh.length >= lookedThrough || fresh.some(({ featureName }) => names.has(featureName)),
  };
}

const named = ({ project, name }: Named): Named => ({ project, name });

interface Way {
  steps: Step[];
  cannot: LeftOut[];
}

/** How one flag becomes as it was, by what it is now. */
async function wayOf(flag: FlagThen, { environment, held, send, guardsOf }: Asked): Promise<Way> {
  const feature = named(flag);
  const refused = (reason: string): Way => ({ steps: [], cannot: [{ feature, reason }] });
  const path = { projectId: flag.project, featureName: flag.name };
  let found: Reply<Schemas["FeatureDetails"]>;
  try {
    found = await send(request("get", "/api/admin/projects/{projectId}/features/{featureName}", { params: { path } }));
  } catch (failure) {
    if (isMissing(failure)) return refused("It is no longer there.");
    throw failure;
  }
  const whole = stateOf(found.data);
  const now = whole.environments[environment];
  if (found.data.archived) return refused("It is archived: revive it first.");
  if (!now) return refused(`${flag.project} does not use ${environment}.`);
  const { then } = thenOf(environment, now, flag.events);
  const only = (place: typeof now): State => ({ ...whole, environments: { [environment]: place } });
  const planned = restoring(feature, only(now), only(then));
  const guards = await guardsOf(flag.project);
  const refusal = planned
    .filter((one) => draftedIn(one, guards, held) === undefined)
    .map(({ operation, init }) => refusalFor(held, operation, placeOf(init.params?.path)))
    .find(Boolean);
  if (refusal) return refused(refusal);
  const steps = planned.map((one, at) => ({
    planned: at === 0 ? onlyFor(one, found.version) : one,
    features: [feature],
  }));
  return { steps, cannot: [] };
}

/** The same for each, a few at a time. */
async function inTurn<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const found: R[] = [];
  for (let at = 0; at < items.length; at += atOnce)
    found.push(...(await Promise.all(items.slice(at, at + atOnce).map(run))));
  return found;
}

import { closedTo, draftedIn, guardingProject, guardsRequest, walledBy } from "../../api/guards";
import { refusalFor, type Held } from "../../api/permissions";
import { proposalOf } from "../../api/proposals";
import { Refusal } from "../../api/refusal";
import { request, type Planned, type Schemas } from "../../api/request";
import { eventInWords } from "../events/sentence";
import { byProject, canBeTried, partsOf, plan, type Changes } from "./bulk";
import { idOf, type Named, type Selected, type Task } from "./tasks";

/** A flag that a task leaves out, and why. */
export interface LeftOut {
  feature: Named;
  reason: string;
  /** Those that depend on it: with them it could. */
  children?: Named[];
}

export interface Split {
  can: Selected[];
  cannot: LeftOut[];
}

export interface Trial extends Split {
  /** What would happen to each feature that changes. */
  effects: ReadonlyMap<string, string[]>;
  /** How many of these become part of a draft, since they need approval. */
  drafted: number;
}

/** Makes a call and gives its answer. */
export type Ask = <A>(planned: Planned<A>) => Promise<A>;

/** What would come of a task: nothing is done. */
export async function trial(task: Task, features: readonly Selected[], held: Held, ask: Ask): Promise<Trial> {
  const drafts = await draftsOf(task, features, held, ask);
  const walls = await wallsOf(task, features, held, ask);
  const walled = features.flatMap((feature): LeftOut[] => {
    const reason = walls.get(feature.project);
    return reason ? [{ feature, reason }] : [];
  });
  const drafted = features.filter(({ project }) => drafts.has(project));
  const asked = new Map(
    drafted
      .filter((feature) => !isSo(task, feature))
      .map((feature) => [idOf(feature), [`added to your draft for ${drafts.get(feature.project)}`]]),
  );
  const made = await tried(
    task,
    features.filter(({ project }) => !drafts.has(project) && !walls.has(project)),
    held,
    ask,
  );
  return {
    can: [...made.can, ...drafted],
    cannot: [...walled, ...made.cannot],
    effects: new Map([...made.effects, ...asked]),
    drafted: asked.size,
  };
}

/** The projects in which a task needs approval, each with the environment in whose draft it is put. */
async function draftsOf(task: Task, features: readonly Selected[], held: Held, ask: Ask): Promise<Map<string, string>> {
  const found = await Promise.all(
    [...byProject(features).keys()].map(async (project): Promise<[string, string | undefined]> => {
      const planned = plan(task, project, [], false);
      if (!proposalOf(planned)) return [project, undefined];
      return [project, draftedIn(planned, await ask(guardsRequest(project)), held)];
    }),
  );
  return new Map(found.flatMap(([project, environment]) => (environment ? [[project, environment] as const] : [])));
}

/** The projects in which a task is refused since it needs approval and no change request can hold it, each with the reason. */
async function wallsOf(task: Task, features: readonly Selected[], held: Held, ask: Ask): Promise<Map<string, string>> {
  const reasonIn = async (project: string) => {
    const planned = plan(task, project, [], false);
    return guardingProject(planned) && !proposalOf(planned)
      ? walledBy(planned, await ask(guardsRequest(project)), held)
      : undefined;
  };
  // What comes into a project is a change of it as well.
  const inTarget = task.kind === "move" && task.to ? closedTo(task.to, await ask(guardsRequest(task.to))) : undefined;
  const found = await Promise.all(
    [...byProject(features).keys()].map(async (project) => [project, (await reasonIn(project)) ?? inTarget] as const),
  );
  return new Map(found.flatMap(([project, reason]) => (reason ? [[project, reason] as const] : [])));
}

/** Whether a flag is as the task would have it, as far as is known. */
const isSo = (task: Task, { environments = [] }: Selected) =>
  task.kind === "switch" &&
  environments.some(({ name, enabled }) => name === task.environment && enabled === task.enabled);

async function tried(task: Task, features: readonly Selected[], held: Held, ask: Ask): Promise<Omit<Trial, "drafted">> {
  const allowed = permitted(task, features, held);
  if (!canBeTried(task)) return moved(task, allowed);
  const split = task.kind === "archive" ? await archivable(allowed, ask) : allowed;
  const { can, cannot, answers } = await narrowed(task, split, ask);
  const effects = effectsOf(answers);
  if (task.kind === "archive") await nameParents(can, effects, ask);
  return { can, cannot, effects };
}

/** Flags that somebody with these permissions may do it to, and the others with what is missing. */
export function permitted(
  task: Task,
  features: readonly Selected[],
  held: Held,
  isDrafted: (planned: Planned) => boolean = () => false,
): Split {
  const split: Split = { can: [], cannot: [] };
  for (const [project, found] of byProject(features)) {
    const planned = plan(task, project, [], false);
    if (isDrafted(planned)) {
      split.can.push(...found);
      continue;
    }
    const { operation, init } = planned;
    const environment = init.params?.path?.environment as string | undefined;
    // Before a target is chosen, what is asked for is whether they may leave.
    const places = task.kind === "move" && task.to ? [project, task.to] : [project];
    const reason = places.map((one) => refusalFor(held, operation, { project: one, environment })).find(Boolean);
    if (reason) split.cannot.push(...found.map((feature) => ({ feature, reason })));
    else split.can.push(...found);
  }
  return split;
}

function moved(task: Task, { can, cannot }: Split): Omit<Trial, "drafted"> {
  const bound = can.filter(({ dependencyType }) => dependencyType != null);
  const reason = (feature: Selected) =>
    feature.dependencyType === "parent" ? "Other flags depend on it." : "It depends on another flag.";
  const free = can.filter(({ dependencyType }) => dependencyType == null);
  const leaving = free.filter(({ project }) => task.kind !== "move" || project !== task.to);
  return {
    can: free,
    cannot: [...cannot, ...bound.map((feature) => ({ feature, reason: reason(feature) }))],
    effects: new Map(leaving.map((feature) => [idOf(feature), [`from ${feature.project}`]])),
  };
}

const isAboutSome = (error: unknown): error is Refusal =>
  error instanceof Refusal && [400, 403, 404, 409].includes(error.status);

/** As many questions as finding some flags among a thousand takes. */
const mostQuestions = 80;

interface Sieve<A> {
  answers: A[];
  cannot: LeftOut[];
}

/** Asks for all of them; where that is refused, for halves, until those are found that it is refused for. */
export async function sieve<A>(
  features: readonly Selected[],
  ask: (some: Selected[]) => Promise<A>,
): Promise<Sieve<A>> {
  const found: Sieve<A> = { answers: [], cannot: [] };
  let left = mostQuestions;
  async function look(some: Selected[]): Promise<void> {
    if (some.length === 0) return;
    left -= 1;
    try {
      found.answers.push(await ask(some));
    } catch (error) {
      if (!isAboutSome(error)) throw error;
      if (some.length === 1 || left <= 0) {
        const reason = error.lines.join(" ");
        found.cannot.push(...some.map((feature) => ({ feature, reason })));
        return;
      }
      const middle = Math.ceil(some.length / 2);
      await look(some.slice(0, middle));
      await look(some.slice(middle));
    }
  }
  await look([...features]);
  return found;
}

const without = (features: readonly Selected[], leftOut: readonly LeftOut[]) => {
  const gone = new Set(leftOut.map(({ feature }) => idOf(feature)));
  return features.filter((feature) => !gone.has(idOf(feature)));
};

async function narrowed(task: Task, { can, cannot }: Split, ask: Ask): Promise<Split & { answers: Changes[] }> {
  const found = await Promise.all(
    partsOf(task, can, true).map(({ features }) =>
      sieve(features, (some) => ask(partsOf(task, some, true)[0]!.planned)),
    ),
  );
  const refused = found.flatMap((one) => one.cannot);
  const kept = without(can, refused);
  const answers =
    refused.length === 0 && found.every((one) => one.answers.length === 1)
      ? found.flatMap((one) => one.answers)
      : // Halves may pass where the whole does not.
        await Promise.all(partsOf(task, kept, true).map((part) => ask(part.planned)));
  return { can: kept, cannot: [...cannot, ...refused], answers };
}

const validation = (projectId: string, features: readonly Named[]) =>
  request("post", "/api/admin/projects/{projectId}/archive/validate", {
    params: { path: { projectId } },
    body: { features: features.map(({ name }) => name) },
  });

/** Leaves out the parents of flags that stay: one that is left out may be the child of another one. */
export async function archivable({ can, cannot }: Split, ask: Ask): Promise<Split> {
  const found = await Promise.all(
    [...byProject(can)].map(async ([projectId, features]) => {
      const { answers, cannot } = await sieve(features, (some) => ask(validation(projectId, some)));
      // Parts know nothing of each other: without those that were refused, all are asked about anew.
      if (cannot.length) return { cannot, parents: [] as Named[] };
      const parents = answers.flatMap(({ parentsWithChildFeatures }) => parentsWithChildFeatures);
      return { cannot, parents: parents.map((name) => ({ project: projectId, name })) };
    }),
  );
  const refused = found.flatMap((one) => one.cannot);
  const parents = found.flatMap((one) => one.parents);
  if (refused.length + parents.length === 0) return { can, cannot };
  const left = [...refused, ...(await Promise.all(parents.map((parent, at) => withChildren(parent, at, ask))))];
  return archivable({ can: without(can, left), cannot: [...cannot, ...left] }, ask);
}

const mostNamed = 20;

async function withChildren(feature: Named, at: number, ask: Ask): Promise<LeftOut> {
  const children = at < mostNamed ? (await detailsOf(feature, ask)).children : [];
  const reason = children.length
    ? `${children.join(", ")} ${children.length === 1 ? "depends" : "depend"} on it.`
    : "Other flags that are not archived depend on it.";
  return { feature, reason, children: children.map((name) => ({ project: feature.project, name })) };
}

export const detailsOf = ({ project, name }: Named, ask: Ask): Promise<Schemas["FeatureDetails"]> =>
  ask(
    request("get", "/api/admin/projects/{projectId}/features/{featureName}", {
      params: { path: { projectId: project, featureName: name } },
    }),
  );

/** Of those that depend on others, on which: that ends, too. */
async function nameParents(can: readonly Selected[], effects: Map<string, string[]>, ask: Ask) {
  const children = can.filter(({ dependencyType }) => dependencyType === "child").slice(0, mostNamed);
  await Promise.all(
    children.map(async (feature) => {
      const { dependencies } = await detailsOf(feature, ask);
      if (dependencies.length)
        effects.get(idOf(feature))?.push(`no longer depends on ${dependencies.map((one) => one.feature).join(", ")}`);
    }),
  );
}

/** What an operation does besides, whether there is anything to do or not. */
const aside: readonly string[] = ["feature-dependencies-removed", "feature-metadata-updated"];

/** The features that a dry run names, each with what would happen to it. */
export function effectsOf(answers: readonly Changes[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { type, project, featureName, environment } of answers.flatMap(({ events }) => events)) {
    const key = `${project ?? ""}/${featureName ?? ""}`;
    const before = found.get(key) ?? [];
    const said = eventInWords(`${type}${environment ? ` in ${environment}` : ""}`);
    const isNew = !aside.includes(type) && !before.includes(said);
    found.set(key, isNew ? [...before, said] : before);
  }
  return found;
}

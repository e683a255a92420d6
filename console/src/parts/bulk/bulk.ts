import { refusalFor } from "../../api/permissions";
import { request, type Planned, type Schemas } from "../../api/request";

/** A feature by its name and place. */
export type Named = Pick<Schemas["SearchFeature"], "project" | "name">;
export const idOf = ({ project, name }: Named) => `${project}/${name}`;

/** What can be done to many features at once. */
export type Task =
  { kind: "switch"; environment: string; enabled: boolean } | { kind: "stale"; stale: boolean } | { kind: "archive" };

const most = 1000;

export type Changes = Schemas["Changes"];

/** One request for each project, and more where one project has more than a request may name. */
export function planned(task: Task, features: readonly Named[], dryRun: boolean): Planned<Changes>[] {
  return [...byProject(features)].flatMap(([projectId, found]) => {
    const parts = [];
    for (let at = 0; at < found.length; at += most) {
      const names = found.slice(at, at + most).map(({ name }) => name);
      parts.push(plan(task, projectId, names, dryRun));
    }
    return parts;
  });
}

function byProject<T extends { project: string }>(features: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const feature of features) groups.set(feature.project, []);
  for (const feature of features) groups.get(feature.project)?.push(feature);
  return groups;
}

function plan(task: Task, projectId: string, features: string[], dryRun: boolean): Planned<Changes> {
  const query = dryRun ? { dryRun } : {};
  switch (task.kind) {
    case "switch": {
      const params = { path: { projectId, environment: task.environment }, query };
      return task.enabled
        ? request("post", "/api/admin/projects/{projectId}/bulk_features/environments/{environment}/on", {
            params,
            body: { features },
          })
        : request("post", "/api/admin/projects/{projectId}/bulk_features/environments/{environment}/off", {
            params,
            body: { features },
          });
    }
    case "stale":
      return request("post", "/api/admin/projects/{projectId}/stale", {
        params: { path: { projectId }, query },
        body: { features, stale: task.stale },
      });
    case "archive":
      return request("post", "/api/admin/projects/{projectId}/archive", {
        params: { path: { projectId }, query },
        body: { features },
      });
  }
}

/** A flag that a task leaves out, and why. */
export interface LeftOut {
  feature: Named;
  reason: string;
}

export interface Split {
  can: Named[];
  cannot: LeftOut[];
}

/** Flags that somebody with these permissions may do it to, and the others with what is missing. */
export function permitted(task: Task, features: readonly Named[], held: Parameters<typeof refusalFor>[0]): Split {
  const split: Split = { can: [], cannot: [] };
  for (const [project, found] of byProject(features)) {
    const { operation, init } = plan(task, project, [], false);
    const environment = init.params?.path?.environment as string | undefined;
    const reason = refusalFor(held, operation, { project, environment });
    if (reason) split.cannot.push(...found.map((feature) => ({ feature, reason })));
    else split.can.push(...found);
  }
  return split;
}

/** Leaves out the parents of flags that stay: one that is left out may be the child of another one. */
export async function withoutParents(
  { can, cannot }: Split,
  ask: (planned: Planned<Schemas["ArchiveFindings"]>) => Promise<Schemas["ArchiveFindings"]>,
): Promise<Split> {
  const answers = await Promise.all(
    [...byProject(can)].map(async ([projectId, found]) => {
      const body = { features: found.map(({ name }) => name) };
      const { parentsWithChildFeatures } = await ask(
        request("post", "/api/admin/projects/{projectId}/archive/validate", { params: { path: { projectId } }, body }),
      );
      return parentsWithChildFeatures.map((name) => idOf({ project: projectId, name }));
    }),
  );
  const parents = new Set(answers.flat());
  if (parents.size === 0) return { can, cannot };
  const reason = "Other flags that are not archived depend on it.";
  const isParent = (feature: Named) => parents.has(idOf(feature));
  const left = can.filter(isParent).map((feature) => ({ feature, reason }));
  return withoutParents({ can: can.filter((feature) => !isParent(feature)), cannot: [...cannot, ...left] }, ask);
}

/** What takes it back, for those features that really changed. */
export function reversed(task: Task, changed: readonly Named[]): Planned[] {
  switch (task.kind) {
    case "switch":
      return planned({ ...task, enabled: !task.enabled }, changed, false);
    case "stale":
      return planned({ ...task, stale: !task.stale }, changed, false);
    case "archive":
      return [...byProject(changed)].map(([projectId, found]) =>
        request("post", "/api/admin/projects/{projectId}/revive", {
          params: { path: { projectId } },
          body: { features: found.map(({ name }) => name) },
        }),
      );
  }
}

export function inWords(task: Task): string {
  switch (task.kind) {
    case "switch":
      return `Switch ${task.enabled ? "on" : "off"} in ${task.environment}`;
    case "stale":
      return task.stale ? "Mark as stale" : "Mark as not stale";
    case "archive":
      return "Archive";
  }
}

/** What taking it back does. */
export function undoInWords(task: Task): string {
  switch (task.kind) {
    case "switch":
      return `Switch ${task.enabled ? "off" : "on"} again in ${task.environment}`;
    case "stale":
      return task.stale ? "Mark as not stale again" : "Mark as stale again";
    case "archive":
      return "Revive them";
  }
}

/** The features that a dry run names, each with what would happen to it. */
export function effects(answers: readonly Changes[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { type, project, featureName, environment } of answers.flatMap(({ events }) => events)) {
    const key = `${project ?? ""}/${featureName ?? ""}`;
    const said = `${type}${environment ? ` in ${environment}` : ""}`;
    found.set(key, [...(found.get(key) ?? []), said]);
  }
  return found;
}

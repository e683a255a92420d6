import { request, type Planned, type Schemas } from "../../api/request";
import { tagInWords } from "../tags";
import type { Named, Selected, Task } from "./tasks";

const most = 1000;

export type Changes = Schemas["Changes"];

/** A request with the features that it names. */
export interface Part {
  planned: Planned<Changes>;
  features: Selected[];
}

/** One request for each project, and more where one project has more than a request may name. */
export const planned = (task: Task, features: readonly Selected[], dryRun: boolean): Planned<Changes>[] =>
  partsOf(task, features, dryRun).map((part) => part.planned);

export function partsOf(task: Task, features: readonly Selected[], dryRun: boolean): Part[] {
  const atOnce = task.kind === "move" ? 1 : most;
  return [...byProject(features)].flatMap(([projectId, found]) => {
    const parts: Part[] = [];
    for (let at = 0; at < found.length; at += atOnce) {
      const some = found.slice(at, at + atOnce);
      parts.push({ planned: plan(task, projectId, namesOf(some), dryRun), features: some });
    }
    return parts;
  });
}

const namesOf = (features: readonly Named[]) => features.map(({ name }) => name);

export function byProject<T extends { project: string }>(features: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const feature of features) groups.set(feature.project, []);
  for (const feature of features) groups.get(feature.project)?.push(feature);
  return groups;
}

/** Moving is asked for one by one, and cannot be tried before. */
export const canBeTried = ({ kind }: Task) => kind !== "move";

export function plan(task: Task, projectId: string, features: string[], dryRun: boolean): Planned<Changes> {
  const query = dryRun ? { dryRun } : {};
  const params = { path: { projectId }, query };
  switch (task.kind) {
    case "switch": {
      const there = { path: { projectId, environment: task.environment }, query };
      return task.enabled
        ? request("post", "/api/admin/projects/{projectId}/bulk_features/environments/{environment}/on", {
            params: there,
            body: { features },
          })
        : request("post", "/api/admin/projects/{projectId}/bulk_features/environments/{environment}/off", {
            params: there,
            body: { features },
          });
    }
    case "stale":
      return request("post", "/api/admin/projects/{projectId}/stale", {
        params,
        body: { features, stale: task.stale },
      });
    case "tag":
      return request("put", "/api/admin/projects/{projectId}/tags", {
        params,
        body: { features, tags: { addedTags: task.added, removedTags: task.removed } },
      });
    case "move":
      return request("post", "/api/admin/projects/{projectId}/features/{featureName}/changeProject", {
        params: { path: { projectId, featureName: features[0] ?? "" } },
        body: { newProjectId: task.to },
      });
    case "archive":
      return request("post", "/api/admin/projects/{projectId}/archive", { params, body: { features } });
    case "revive":
      return request("post", "/api/admin/projects/{projectId}/revive", { params, body: { features } });
  }
}

/** What takes it back, for those features that really changed. */
export function reversed(task: Task, changed: readonly Selected[]): Planned[] {
  switch (task.kind) {
    case "switch":
      return planned({ ...task, enabled: !task.enabled }, changed, false);
    case "stale":
      return planned({ ...task, stale: !task.stale }, changed, false);
    case "tag":
      return retagged(task, changed);
    case "move":
      return changed.map(({ project, name }) => plan({ kind: "move", to: project }, task.to, [name], false));
    case "archive":
      return planned({ kind: "revive" }, changed, false);
    case "revive":
      return planned({ kind: "archive" }, changed, false);
  }
}

/** Tags as they were: those that a feature had before stay, and those that it lacked do not come. */
function retagged({ added, removed }: Task & { kind: "tag" }, changed: readonly Selected[]): Planned[] {
  const groups = new Map<string, { task: Task; features: Selected[] }>();
  for (const feature of changed) {
    const before = new Set((feature.tags ?? []).map(tagInWords));
    const back = {
      kind: "tag" as const,
      added: removed.filter((tag) => before.has(tagInWords(tag))),
      removed: added.filter((tag) => !before.has(tagInWords(tag))),
    };
    const key = JSON.stringify(back);
    const group = groups.get(key) ?? { task: back, features: [] };
    group.features.push(feature);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ task, features }) => planned(task, features, false));
}

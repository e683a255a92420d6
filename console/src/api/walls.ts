import type { Planned } from "./request";

/** A call that needs approval and that no change request can hold. */
export interface Wall {
  project: string;
  /** Absent where it is about every environment of the project. */
  environment?: string;
  /** Who passes it: whoever may skip change requests there, administrators alone, or nobody. */
  passes: "skipping" | "administrators" | "nobody";
  /** What to do instead. */
  instead: string;
}

const project = "/api/admin/projects/{projectId}";
const feature = `${project}/features/{featureName}`;
const administrator = "Ask an administrator.";

const walls: Record<string, Pick<Wall, "passes" | "instead">> = {
  [`DELETE ${project}/environments/{environment}`]: { passes: "skipping", instead: administrator },
  [`POST ${project}/environments/{environment}/default-strategy`]: { passes: "skipping", instead: administrator },
  [`POST ${feature}/changeProject`]: { passes: "administrators", instead: administrator },
  [`POST ${feature}/clone`]: {
    passes: "nobody",
    instead: "Create a flag, and add its strategies to your draft.",
  },
};

/** Calls that no change request can hold, by method and path. */
export const walled = Object.keys(walls);

/** What keeps a call from being made where changes need approval; nothing for most calls. */
export function wallOf({ method, path: template, init }: Planned): Wall | undefined {
  const wall = walls[`${method} ${template}`];
  const { projectId, environment } = init.params?.path ?? {};
  if (!wall || projectId === undefined) return undefined;
  const isOfOne = template.includes("/environments/{environment}");
  return { ...wall, project: String(projectId), environment: isOfOne ? String(environment) : undefined };
}

import type { Schemas } from "../../api/request";

interface Use {
  project: string;
  feature: string;
  environments: string[];
}

/** Strategies taken together by their features. */
export function featuresOf(strategies: readonly Schemas["StrategyUse"][]): Use[] {
  const found = new Map<string, Use>();
  for (const { projectId, featureName, environment } of strategies) {
    const key = `${projectId}/${featureName}`;
    const use = found.get(key) ?? { project: projectId, feature: featureName, environments: [] };
    if (!use.environments.includes(environment)) use.environments.push(environment);
    found.set(key, use);
  }
  return [...found.values()];
}

/** "in 3 flags of 2 projects". */
export function usedIn(features: number | null | undefined, projects: number | null | undefined): string {
  if (!features) return "nothing";
  return `${features} ${features === 1 ? "flag" : "flags"} of ${projects ?? 0} ${projects === 1 ? "project" : "projects"}`;
}

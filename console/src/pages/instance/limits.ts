import type { Schemas } from "../../api/request";

export interface Use {
  label: string;
  used: number;
  most: number;
  /** Whether little is left: a fifth or less. */
  isTight: boolean;
}

/** How much of each limit is used; what is counted for each feature has only its limit. */
export function uses(
  limits: Schemas["ResourceLimits"],
  counted: Pick<
    Schemas["InstanceStatistics"],
    "featureToggles" | "projects" | "environments" | "segments" | "apiTokens" | "maxEnvironmentStrategies"
  >,
): Use[] {
  const { admin, client, frontend } = counted.apiTokens;
  const found: [string, number, number][] = [
    ["Feature flags", counted.featureToggles, limits.featureFlags],
    ["Projects", counted.projects, limits.projects],
    ["Environments", counted.environments, limits.environments],
    ["Segments", counted.segments, limits.segments],
    ["API tokens", admin + client + frontend, limits.apiTokens],
    [
      "Strategies of one flag in an environment, at most",
      counted.maxEnvironmentStrategies,
      limits.featureEnvironmentStrategies,
    ],
  ];
  return found.map(([label, used, most]) => ({ label, used, most, isTight: used >= most * 0.8 }));
}

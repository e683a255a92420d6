import { expect, it } from "vitest";
import type { Schemas } from "../../api/request";
import { uses } from "./limits";

it("tells how full each limit is, tokens of all kinds together", () => {
  const limits = {
    featureFlags: 10,
    projects: 100,
    environments: 50,
    segments: 300,
    apiTokens: 5,
    featureEnvironmentStrategies: 30,
  } as Schemas["ResourceLimits"];
  const found = uses(limits, {
    featureToggles: 8,
    projects: 79,
    environments: 2,
    segments: 0,
    apiTokens: { admin: 1, client: 2, frontend: 3 },
    maxEnvironmentStrategies: 1,
  });
  expect(found.find(({ label }) => label === "API tokens")).toEqual({
    label: "API tokens",
    used: 6,
    most: 5,
    isTight: true,
  });
  expect(found.filter(({ isTight }) => isTight).map(({ label }) => label)).toEqual(["Feature flags", "API tokens"]);
});

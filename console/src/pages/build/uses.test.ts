import { expect, it } from "vitest";
import { featuresOf, usedIn } from "./uses";

const use = (featureName: string, environment: string, id = environment) => ({
  id,
  featureName,
  projectId: "shop",
  environment,
  strategyName: "default",
});

it("names each flag once, with its environments", () => {
  expect(featuresOf([use("a", "production"), use("b", "dev"), use("a", "dev"), use("a", "dev", "2")])).toEqual([
    { project: "shop", feature: "a", environments: ["production", "dev"] },
    { project: "shop", feature: "b", environments: ["dev"] },
  ]);
});

it("counts in words", () => {
  expect(usedIn(0, 0)).toBe("nothing");
  expect(usedIn(null, null)).toBe("nothing");
  expect(usedIn(1, 1)).toBe("1 flag of 1 project");
  expect(usedIn(12, 3)).toBe("12 flags of 3 projects");
});

import { expect, it } from "vitest";
import { given, named, pageOf, shareOutcome } from "./reasons";

it("says what was given, and that nothing was", () => {
  const context = { appName: "playground", region: "emea", empty: "" };
  expect(given("region", context)).toBe("region was emea");
  expect(given("userId", context)).toBe("userId was not given");
  expect(given("empty", context)).toBe("empty was not given");
  expect(given("currentTime", context)).toBeUndefined();
});

const strategy = (enabled: boolean | "unknown", ...conditions: boolean[]) =>
  ({
    constraints: conditions.slice(0, 1).map((result) => ({ result })),
    segments: conditions.slice(1).map((result) => ({ result })),
    result: { enabled },
  }) as never;

it("blames the share only where all constraints and segments hold", () => {
  expect(shareOutcome(strategy(false, false))).toBe("undecided");
  expect(shareOutcome(strategy(false, true, false))).toBe("undecided");
  expect(shareOutcome(strategy(false, true, true))).toBe(false);
  expect(shareOutcome(strategy(true, true))).toBe(true);
  expect(shareOutcome(strategy("unknown"))).toBe("unknown");
});

it("finds flags by a part of their names", () => {
  const features = [{ name: "Checkout-new" }, { name: "banner" }];
  expect(named(features, " checkOUT ")).toEqual([features[0]]);
  expect(named(features, "")).toHaveLength(2);
});

it("asks projects ten at a time, and all of them where they are few", () => {
  const projects = Array.from({ length: 23 }, (_, at) => ({
    id: `p-${String(22 - at).padStart(2, "0")}`,
    featureCount: 9,
  }));
  expect(pageOf([], 0)).toBeUndefined();
  expect(pageOf(projects.slice(0, 10), 0)).toBeUndefined();
  expect(pageOf(projects, 1)).toMatchObject({ at: 1, pages: 3 });
  expect(pageOf(projects, 0)?.projects[0]).toBe("p-00");
  expect(pageOf(projects, 99)?.projects).toEqual(["p-20", "p-21", "p-22"]);
});

it("asks fewer projects at a time where they have many flags", () => {
  const projects = [100, 300, 100, 1, 2000, 499].map((featureCount, at) => ({ id: `p-${at}`, featureCount }));
  expect([0, 1, 2, 3].map((page) => pageOf(projects, page)?.projects)).toEqual([
    ["p-0", "p-1", "p-2"],
    ["p-3"],
    ["p-4"],
    ["p-5"],
  ]);
});

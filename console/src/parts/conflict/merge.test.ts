import { expect, it } from "vitest";
import { differences, merged } from "./merge";

const base = { title: "A", parameters: { rollout: "10", stickiness: "default" }, constraints: [1] };

it("merges what only one side changed", () => {
  const theirs = { ...base, parameters: { ...base.parameters, rollout: "50" } };
  const mine = { ...base, title: "B" };
  expect(differences(base, theirs, mine).map(({ path, contested }) => [path, contested])).toEqual([
    ["/title", false],
    ["/parameters/rollout", false],
  ]);
  expect(merged(base, theirs, mine, {})).toEqual({
    title: "B",
    parameters: { rollout: "50", stickiness: "default" },
    constraints: [1],
  });
});

it("asks where both changed, and takes what was chosen", () => {
  const theirs = { ...base, title: "T", constraints: [1, 2] };
  const mine = { ...base, title: "M", constraints: [] };
  expect(differences(base, theirs, mine).every(({ contested }) => contested)).toBe(true);
  expect(merged(base, theirs, mine, { "/title": "theirs" })).toMatchObject({ title: "T", constraints: [] });
});

it("is silent where both did the same, and leaves out what was removed", () => {
  const theirs = { title: "Z", parameters: { rollout: "10" }, constraints: [1] };
  const mine = { ...base, title: "Z" };
  expect(differences(base, theirs, mine)).toEqual([
    { path: "/title", base: "A", theirs: "Z", mine: "Z", contested: false },
    { path: "/parameters/stickiness", base: "default", theirs: undefined, mine: "default", contested: false },
  ]);
  expect(merged(base, theirs, mine, {})).toEqual({ title: "Z", parameters: { rollout: "10" }, constraints: [1] });
});

import { expect, it } from "vitest";
import { changes } from "./changes";

it("has a line for each change, and none for what stayed", () => {
  const before = { strategies: [{ parameters: { rollout: "25" } }], stale: false, old: 1 };
  const after = { strategies: [{ parameters: { rollout: "50" } }], stale: false, new: { a: 1 } };
  expect(changes(before, after)).toEqual([
    { path: "old", before: "1", after: "" },
    { path: "new", before: "", after: '{"a":1}' },
    { path: "strategies/0/parameters/rollout", before: "25", after: "50" },
  ]);
});

it("shows all of what is new or gone", () => {
  expect(changes(null, { name: "a" })).toEqual([{ path: "name", before: "", after: "a" }]);
  expect(changes({ name: "a" }, null)).toEqual([{ path: "name", before: "a", after: "" }]);
});

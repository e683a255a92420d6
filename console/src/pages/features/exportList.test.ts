import { expect, it } from "vitest";
import type { Found } from "./query";
import { rowsOf } from "./exportList";

it("has a row for each flag, and a column for each environment", () => {
  const feature = {
    name: "checkout",
    project: "shop",
    type: "release",
    stale: true,
    favorite: false,
    createdAt: "2027-01-31T12:00:00Z",
    createdBy: { id: 1, name: "Ada" },
    tags: [
      { type: "team", value: "a" },
      { type: "simple", value: "b" },
    ],
    environments: [{ name: "production", enabled: true }],
  } as unknown as Found;
  const [head, row] = rowsOf([feature], ["production", "test"]);
  expect(head!.slice(-3)).toEqual(["description", "production", "test"]);
  expect(row).toEqual([
    "checkout",
    "shop",
    "release",
    "",
    "yes",
    "no",
    "2027-01-31T12:00:00Z",
    "Ada",
    "",
    "team:a simple:b",
    "",
    "on",
    "",
  ]);
});

import { expect, it } from "vitest";
import { grouped, isGroup } from "./groups";

let id = 100;
const event = (type: string, ms: number, more: object = {}) =>
  ({
    id: id--,
    type,
    createdBy: "ada",
    project: "shop",
    createdAt: new Date(1e12 - ms).toISOString(),
    ...more,
  }) as never;
const said = (events: never[]) => grouped(events).map((entry) => (isGroup(entry) ? entry.said : entry.type));
const many = (count: number, make: (at: number) => never) => Array.from({ length: count }, (_, at) => make(at));

it("makes one entry of what an import made", () => {
  const made = many(25, (at) => event("feature-created", 0, { featureName: `f${at}` }));
  expect(said([event("features-imported", 0), ...made, event("user-created", 1)])).toEqual([
    "imported 25 flags",
    "user-created",
  ]);
});

it("says what was done to many, where it was the same", () => {
  const off = many(5, (at) =>
    event("feature-environment-disabled", 0, { featureName: `f${at}`, environment: "production" }),
  );
  expect(said(off)).toEqual(["switched off 5 flags in production"]);
  const mixed = many(4, (at) => event(at % 2 ? "feature-archived" : "feature-tagged", 0, { featureName: `f${at}` }));
  expect(said(mixed)).toEqual(["made 4 changes to 4 flags"]);
});

it("keeps apart what others did, what came later, and what had another reason", () => {
  const make = (more: object) => (at: number) => event("feature-archived", 0, { featureName: `f${at}`, ...more });
  const entries = grouped([
    ...many(4, make({ createdBy: "ada" })),
    ...many(4, make({ createdBy: "bob" })),
    ...many(4, make({ createdBy: "bob", reason: "cleaning" })),
  ]);
  expect(entries.map((entry) => isGroup(entry) && entry.events.length)).toEqual([4, 4, 4]);
  // Acts of a script, one right after the other.
  expect(grouped(many(4, (at) => event("feature-archived", at)))).toHaveLength(4);
  expect(grouped(many(3, () => event("feature-archived", 0)))).toHaveLength(3);
});

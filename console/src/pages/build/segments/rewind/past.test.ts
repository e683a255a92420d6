import { expect, it } from "vitest";
import { sampleEvent } from "../../../../parts/rewind/sampleEvents";
import { differs } from "../../../feature/compare/comparison";
import { aspectsOf, filtersOf, isAbout, states, wasOtherwise } from "./past";

const is = (contextName: string, ...values: string[]) => ({ contextName, operator: "IN" as const, values });
const segment = (name: string, constraints: object[], more: object = {}) =>
  ({
    id: 7,
    name,
    description: null,
    project: null,
    constraints,
    createdAt: "2027-01-31T12:00:00.000Z",
    ...more,
  }) as never;
const event = (type: string, data: unknown, preData: unknown = null) => sampleEvent(type, { data, preData });

it("goes back to the definitions that the events hold", () => {
  const first = segment("Staff", [is("country", "ch")], { description: "first", project: "shop" });
  const second = segment("Staff", [is("country", "ch", "at")]);
  const third = segment("People", [is("country", "ch", "at")]);
  const found = states(third, [
    event("segment-updated", third, second),
    event("segment-updated", second, first),
    event("segment-created", first),
  ]);
  expect(found.map(({ state }) => [state.name, state.project, state.constraints[0]!.values!.length])).toEqual([
    ["People", "", 2],
    ["Staff", "", 2],
    ["Staff", "shop", 1],
    ["Staff", "shop", 1],
  ]);
  expect(found.flatMap(({ missing }) => missing)).toEqual([]);
  const rows = aspectsOf(found[0]!.state, found[2]!.state);
  expect(rows.filter(differs)).toEqual([
    { what: "Name", one: "People", other: "Staff" },
    { what: "Description", one: "", other: "first" },
    { what: "For", one: "all projects", other: "shop" },
    { what: "Constraint", one: "country is at, ch", other: "country is ch" },
  ]);
});

it("says where an event does not hold what was before it", () => {
  const now = segment("Staff", []);
  const found = states(now, [event("segment-updated", now), event("segment-updated", now, { id: 7, name: "x" })]);
  expect(found.map(({ missing }) => missing.length)).toEqual([0, 1, 1]);
});

it("tells constraints apart that differ in one of many values, and not in their order", () => {
  const values = Array.from({ length: 40 }, (_, at) => `v${String(at).padStart(2, "0")}`);
  const state = (constraints: object[]) => states(segment("Staff", constraints), [])[0]!.state;
  const now = state([is("id", ...values), is("country", "ch")]);
  expect(wasOtherwise(now, state([is("id", ...values.toReversed()), is("country", "ch")]))).toBe(false);
  const then = state([is("country", "ch"), is("id", ...values.slice(1), "other")]);
  expect(wasOtherwise(now, then)).toBe(true);
  const [row, ...more] = aspectsOf(now, then).filter(differs);
  expect(more).toEqual([]);
  expect(row!.one).toContain("id is v00, v01");
  expect(row!.other).toContain("id is other, v01");
  const folding = state([{ ...is("country", "ch"), caseInsensitive: true }]);
  expect(aspectsOf(state([is("country", "ch")]), folding).filter(differs)).toHaveLength(1);
});

it("finds the events of one segment among those of others", () => {
  expect(filtersOf(segment("Staff", []))).toEqual({
    type: "IS_ANY_OF:segment-created,segment-updated",
    query: "2027-01-31T12:00:00.000Z",
  });
  expect(isAbout(7)(event("segment-created", { id: 7 }))).toBe(true);
  expect(isAbout(7)(event("segment-updated", { id: 8 }, { id: 8 }))).toBe(false);
});

import { expect, it } from "vitest";
import { addDays, blank, draftOf, objectionTo, planNew, standingOf, timeOf, timesOn, type Window } from "./freezes";

const zone = "Europe/Berlin";
const base = { id: 1, environment: null, zone, reason: "Weekend", exemptRoles: [] };
const weekly: Window = { ...base, weekly: { days: ["friday"], from: "16:00", to: "06:00" } };
const once: Window = { ...base, once: { from: "2027-12-23T23:00:00.000Z", to: "2027-12-26T23:00:00.000Z" } };

it("knows days across the change of clocks and of months", () => {
  expect(addDays("2027-02-28", 1)).toBe("2027-03-01");
  expect(addDays("2027-03-28", -1)).toBe("2027-03-27");
});

it("is in force in the hours of its zone, over midnight too", () => {
  expect(timesOn(weekly, "2027-01-07")).toEqual([]);
  expect(timesOn(weekly, "2027-01-08")).toEqual([[new Date("2027-01-08T15:00:00Z"), new Date("2027-01-09T05:00:00Z")]]);
  expect(standingOf(weekly, new Date("2027-01-09T04:59:00Z"))).toBe("now");
  expect(standingOf(weekly, new Date("2027-01-09T05:00:00Z"))).toBe("later");
  expect(standingOf(once, new Date("2027-12-25T12:00:00Z"))).toBe("now");
  expect(standingOf(once, new Date("2027-12-26T23:00:00Z"))).toBe("over");
});

it("is told in its own zone", () => {
  expect(timeOf(weekly)).toBe("every Friday, 16:00 to 06:00");
  expect(timeOf(once)).toBe("2027-12-24 00:00 to 2027-12-27 00:00");
});

it("goes through its form unchanged", () => {
  const now = new Date("2027-01-01T00:00:00Z");
  for (const window of [weekly, once]) {
    expect({ id: window.id, ...(planNew(draftOf(window, now)).init.body as object) }).toEqual(window);
  }
});

it("needs a reason, and an end after its beginning", () => {
  const draft = { ...blank(zone, new Date("2027-01-01T00:00:00Z")), reason: "Inventory" };
  expect(objectionTo(draft)).toBeUndefined();
  expect(objectionTo({ ...draft, reason: " " })).toContain("reason");
  expect(objectionTo({ ...draft, to: draft.from })).toBe("It must end after it begins.");
  expect(objectionTo({ ...draft, kind: "weekly" })).toBeUndefined();
  expect(objectionTo({ ...draft, kind: "weekly", days: [] })).toContain("day");
  expect(objectionTo({ ...draft, kind: "weekly", begins: "24:00" })).toContain("Hours");
});

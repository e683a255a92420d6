import { expect, it } from "vitest";
import { boundInWords, choicesUpTo, endAfter, tooLate } from "./lifetime";

const now = Date.parse("2027-01-31T12:00:00Z");

it("offers no more days than a token may last, and the longest", () => {
  const days = [7, 30, 90, 365];
  expect(choicesUpTo(days)).toEqual(days);
  expect(choicesUpTo(days, 365)).toEqual(days);
  expect(choicesUpTo(days, 45)).toEqual([7, 30, 45]);
  expect(choicesUpTo(days, 1)).toEqual([1]);
});

it("ends after whole days, also where clocks change, and a moment before the longest", () => {
  expect(endAfter(7, now)).toBe("2027-02-07T12:00:00.000Z");
  expect(endAfter(90, now, 365)).toBe("2027-05-01T12:00:00.000Z");
  expect(endAfter(30, now, 30)).toBe("2027-03-02T11:59:00.000Z");
  expect(endAfter(30, now, 7)).toBe("2027-02-07T11:59:00.000Z");
});

it("objects to what ends later than it may", () => {
  expect(tooLate("2027-02-07T12:00:00Z", now, 7)).toBeUndefined();
  expect(tooLate("2027-02-07T12:01:00Z", now, 7)).toBe("It must end in 7 days at most.");
  expect(tooLate("2027-02-02T12:00:00Z", now, 1)).toBe("It must end in 1 day at most.");
  expect(tooLate("9999-01-01T00:00:00Z", now)).toBeUndefined();
});

it("says what bounds it", () => {
  expect(boundInWords(3650)).toContain("3,650 days at most");
});

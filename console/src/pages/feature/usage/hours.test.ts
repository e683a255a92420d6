import { expect, it } from "vitest";
import { byHour, finding } from "./hours";

const now = new Date("2026-05-04T12:40:00Z");
const metric = (timestamp: string, yes: number, no: number, environment = "production") => ({
  featureName: "f",
  environment,
  timestamp,
  yes,
  no,
});

it("adds up applications within an hour, and keeps empty hours", () => {
  const hours = byHour(
    [
      metric("2026-05-04T12:00:00Z", 1, 2),
      metric("2026-05-04T12:00:00Z", 3, 0),
      metric("2026-05-04T11:00:00Z", 9, 9, "development"),
    ],
    "production",
    3,
    now,
  );
  expect(hours.map(({ at, yes, no }) => [at.slice(11, 13), yes, no])).toEqual([
    ["10", 0, 0],
    ["11", 0, 0],
    ["12", 4, 2],
  ]);
  expect(finding(hours)).toBe("67 % of 6 evaluations were enabled in the last 3 hours");
  expect(finding([])).toBe("No evaluations in the last 0 hours");
});

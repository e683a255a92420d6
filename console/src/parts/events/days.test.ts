import { expect, it } from "vitest";
import { busiest, lastDays } from "./days";

it("counts days in UTC, across the end of a month", () => {
  expect(lastDays(3, new Date("2026-03-01T00:30:00Z"))).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
});

it("names the busiest day", () => {
  expect(busiest([])).toBe("Nothing happened in 0 days");
  expect(
    busiest([
      { day: "2026-02-27", events: 2 },
      { day: "2026-02-28", events: 5 },
      { day: "2026-03-01", events: 0 },
    ]),
  ).toBe("7 events in 3 days, most of them (5) on 2026-02-28");
});

import { beforeEach, expect, it } from "vitest";
import { learn, serverTime } from "./clock";

const noon = Date.parse("2026-05-04T12:00:00.400Z");
const answered = (date: string | null, began: number, took = 100) => learn(date, began, began + took);

/** Whole seconds are all that an answer tells. */
const expectNoon = (local: number) => expect(Math.abs(serverTime(local) - noon)).toBeLessThanOrEqual(1000);

beforeEach(() => answered("Mon, 04 May 2026 12:00:00 GMT", noon));

it("believes a clock that agrees", () => {
  expectNoon(noon);
});

it("corrects one that is an hour ahead, or behind", () => {
  for (const wrong of [3_600_000, -3_600_000]) {
    answered("Mon, 04 May 2026 12:00:00 GMT", noon + wrong);
    expectNoon(noon + wrong);
  }
});

it("takes an answer that was long on its way for none of the clock's fault", () => {
  answered("Mon, 04 May 2026 12:00:00 GMT", noon, 10_000);
  answered("Mon, 04 May 2026 12:00:09 GMT", noon, 10_000);
  expectNoon(noon);
});

it("ignores an answer without a date", () => {
  answered(null, noon + 3_600_000);
  expectNoon(noon);
});

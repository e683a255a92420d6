import { expect, it } from "vitest";
import { ceiling, spread, tickAt, trend } from "./scale";

it("ends a scale at a round number", () => {
  expect([0, 0.4, 1, 3, 7, 10, 11, 24, 26, 99, 101].map(ceiling)).toEqual([1, 1, 1, 3, 8, 10, 15, 25, 30, 100, 150]);
});

it("moves labels apart and keeps them within the picture", () => {
  expect(spread([10, 12, 90], 14, 100)).toEqual([10, 24, 90]);
  expect(spread([98, 99, 100], 14, 100)).toEqual([72, 86, 100]);
  expect(spread([50, 10], 14, 100)).toEqual([50, 10]);
  expect(spread([], 14, 100)).toEqual([]);
});

it("tells what became of a figure", () => {
  expect(trend([20, 14, 8], "30 days")).toBe("fell by 12 in 30 days");
  expect(trend([1, 2.25], "a week")).toBe("rose by 1.3 in a week");
  expect(trend([3], "a day")).toBe("did not change in a day");
});

it("puts what an axis says below its point, and within the picture", () => {
  expect(tickAt(0, 48)).toEqual({ at: 100 / 96, side: "start" });
  expect(tickAt(23, 48)).toEqual({ at: (100 * 23.5) / 48, side: "middle" });
  expect(tickAt(29, 30).side).toBe("end");
});

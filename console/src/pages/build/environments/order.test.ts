import { expect, it } from "vitest";
import { moved } from "./order";

const placed = ["dev", "test", "live"].map((name) => ({ name, sortOrder: 9 }));

it("swaps two neighbours and gives everything a place of its own", () => {
  expect(moved(placed, "test", -1)).toEqual({ test: 1, dev: 2, live: 3 });
  expect(moved(placed, "test", 1)).toEqual({ dev: 1, live: 2, test: 3 });
});

it("goes nowhere beyond the ends", () => {
  expect(moved(placed, "dev", -1)).toBeUndefined();
  expect(moved(placed, "live", 1)).toBeUndefined();
  expect(moved(placed, "gone", 1)).toBeUndefined();
});

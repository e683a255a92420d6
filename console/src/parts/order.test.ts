import { expect, it } from "vitest";
import { swapped } from "./order";

it.each([
  ["b", -1, ["b", "a", "c"]],
  ["b", 1, ["a", "c", "b"]],
  ["a", -1, undefined],
  ["c", 1, undefined],
  ["gone", 1, undefined],
] as const)("moves %s by %i", (id, by, order) => {
  expect(swapped(["a", "b", "c"], id, by)).toEqual(order);
});

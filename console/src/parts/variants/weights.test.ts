import { expect, it } from "vitest";
import { objections, shared, type Variant } from "./weights";

const variant = (name: string, weight = 0, weightType: Variant["weightType"] = "variable"): Variant => ({
  name,
  weight,
  weightType,
});
const weights = (variants: Variant[]) => variants.map(({ weight }) => weight);

it.each([
  [
    [variant("a"), variant("b"), variant("c")],
    [334, 333, 333],
  ],
  [
    [variant("a", 100, "fix"), variant("b"), variant("c")],
    [100, 450, 450],
  ],
  [[variant("a")], [1000]],
  [
    [variant("a", 1000, "fix"), variant("b")],
    [1000, 0],
  ],
])("shares out what is not fixed, and always all of it", (variants, expected) => {
  const result = weights(shared(variants));
  expect(result).toEqual(expected);
  expect(result.reduce((sum, weight) => sum + weight, 0)).toBe(1000);
});

it("tells what is wrong", () => {
  expect(objections([variant("a", 400, "fix"), variant("a", 500, "fix")])).toEqual([
    "Two variants are called a.",
    "Fixed weights add up to 90 % and must be 100 %, or let one share the rest.",
  ]);
  expect(objections([variant("a", 700, "fix"), variant("b", 700, "fix"), variant("")])).toEqual([
    "A variant has no name.",
    "Fixed weights add up to 140 %: that is more than there is.",
  ]);
  expect(objections([{ ...variant("a"), payload: { type: "json", value: "{" } }])).toEqual([
    "The payload of a is no JSON.",
  ]);
  expect(objections([])).toEqual([]);
});

import { expect, it } from "vitest";
import { asName, namesFilter } from "./names";

it("takes for a name only what can be one", () => {
  expect(asName(" checkout-redesign ")).toEqual(["checkout-redesign"]);
  expect(asName("two words")).toEqual([]);
  expect(asName("a,b")).toEqual([]);
  expect(asName("x".repeat(101))).toEqual([]);
});

it("asks for any of the names, and for nothing without one", () => {
  expect(namesFilter(["a", "b"])).toBe("IS_ANY_OF:a,b");
  expect(namesFilter([])).toBeUndefined();
});

import { expect, it } from "vitest";
import { clock, constraintObjections, ofField, ofOperator, valueObjection } from "./values";

it.each([
  ["NUM_GT", "12.5", true],
  ["NUM_GT", "twelve", false],
  ["NUM_GT", " ", false],
  ["DATE_AFTER", "2027-01-31T12:00:00.000Z", true],
  ["DATE_AFTER", "tomorrow", false],
  ["SEMVER_EQ", "1.2.3-beta.1", true],
  ["SEMVER_EQ", "1.2", false],
  ["SEMVER_EQ", "v1.2.3", false],
  ["REGEX", "^a", true],
  ["REGEX", "", false],
  ["IN", undefined, true],
] as const)("%s takes %s: %s", (operator, value, isRight) => {
  expect(valueObjection({ operator, value }) === undefined).toBe(isRight);
});

it("names the field", () => {
  expect(constraintObjections([{ contextName: "age", operator: "NUM_GT", value: "x" }])).toEqual([
    "The constraint on age: this is no number.",
  ]);
});

it("compares dates with the time alone", () => {
  expect(ofOperator({ contextName: "userId" }, "DATE_AFTER")).toMatchObject({ contextName: clock });
  expect(ofField({ operator: "IN" }, clock)).toMatchObject({ operator: "DATE_AFTER" });
  expect(ofField({ operator: "DATE_AFTER" }, "userId")).toMatchObject({ operator: "IN" });
  expect(ofOperator({ contextName: clock }, "NUM_GT")).toMatchObject({ contextName: "userId" });
  expect(ofField({ operator: "NUM_GT" }, "age")).toEqual({ contextName: "age" });
});

import { expect, it } from "vitest";
import { operatorsFor } from "./operators";
import { clock, constraintObjections, ofField, ofOperator, orderOfFields, valueObjection } from "./values";

it.each([
  ["NUM_GT", "12.5", true],
  ["NUM_GT", "twelve", false],
  ["NUM_GT", " ", false],
  ["NUM_GT", ".5", true],
  ["NUM_GT", "1e400", false],
  ["NUM_GT", "0x10", false],
  ["DATE_AFTER", "2027-01-31T12:00:00.000Z", true],
  ["DATE_AFTER", "tomorrow", false],
  ["SEMVER_EQ", "1.2.3-beta.1", true],
  ["SEMVER_EQ", "1.2", false],
  ["SEMVER_EQ", "v1.2.3", false],
  ["SEMVER_EQ", "1.2.3-a..b", false],
  ["SEMVER_EQ", "1.2.3-01", false],
  ["SEMVER_EQ", "9007199254740992.0.0", false],
  ["REGEX", "^a", true],
  ["REGEX", "", false],
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

it("finds what the server would refuse in a list of values", () => {
  const objection = (values: string[], legal?: string[]) => valueObjection({ operator: "IN", values }, legal);
  expect(objection([])).toBe("A value is missing.");
  expect(objection(["x".repeat(101)])).toContain("longer than 100");
  expect(objection(["a\\"])).toContain("backslash");
  expect(objection(["no", "xx"], ["no", "dk"])).toBe("“xx” is none of the values of this field.");
  expect(objection(["no"], ["no", "dk"])).toBeUndefined();
});

it("does not object to what was stored before", () => {
  const moved = { contextName: "country", operator: "IN" as const, values: [] };
  expect(constraintObjections([moved], [{ ...moved }])).toEqual([]);
  expect(constraintObjections([moved])).toHaveLength(1);
});

it("offers the operators of the field's kind first, and dates alone for the time", () => {
  const groups = (field: string, legal: string[] = []) => operatorsFor(field, legal).map(({ group }) => group);
  expect(groups(clock)).toEqual(["Date and time"]);
  expect(groups("userId")[0]).toBe("Text");
  expect(groups("tier", ["1", "2.5"])[0]).toBe("Number");
  expect(groups("release", ["1.0.0", "2.0.0-rc.1"])[0]).toBe("Version");
  expect(operatorsFor("tier", []).flatMap(({ items }) => items)).toHaveLength(18);
});

it("lists the fields of users first and the time last", () => {
  expect(orderOfFields(["appName", "currentTime", "sessionId", "userId"], "region")).toEqual([
    "userId",
    "sessionId",
    "appName",
    "region",
    "currentTime",
  ]);
});

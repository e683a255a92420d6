import { expect, it } from "vitest";
import { linesOf, placeInWords, sentence, titleOf } from "./errors";

it.each([
  [
    "The /body/name property must match the pattern ^[A-Za-z0-9_.!~*'()-]+$.",
    "Name may have letters, digits and . _ ~ ! * ' ( ) - only, without blanks.",
  ],
  [
    "The /body/constraints/0/value property does not fit the operator: the constraint needs a date as its `value`.",
    "Constraint 1, value must be a date and time, such as 2027-01-31T12:00:00Z.",
  ],
  ["The /body/tokenName property must not be empty.", "Name must not be empty."],
  ["The /body/defaultRootRoleId property must exist.", "Default root role id must exist."],
  ["There is no project named x.", "There is no project named x."],
])("says %s for people", (message, words) => {
  expect(sentence(message)).toBe(words);
});

it("shows no pointer, no backtick and no pattern of whatever the API says", () => {
  for (const path of ["/body/a", "/query/b", "/body/list/12/inner"])
    for (const rule of ["must match the pattern ^[a-z]+$", "must be one of `a`, `b`", "must have at most 3 characters"])
      expect(sentence(`The ${path} property ${rule}.`)).not.toMatch(/[`^$]|\/(body|query)/);
});

it("says the same once, and every finding", () => {
  const message = "The /body/name property must not be empty.";
  expect(linesOf({ name: "ValidationError", message, details: [{ message }, { message: "Other." }] })).toEqual([
    "Name must not be empty.",
    "Other.",
  ]);
  expect(placeInWords("/body/variants/1/payload/value")).toBe("Variant 2, payload, value");
});

it("names kinds of refusals in words, also those that it does not know", () => {
  expect(titleOf("ValidationError")).not.toContain("Error");
  expect(titleOf("SomethingNewError")).not.toContain("Error");
});

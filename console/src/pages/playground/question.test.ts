import { expect, it } from "vitest";
import { parseSearch, stringifySearch } from "../../api/address";
import { addressOf, bodyOf, combinations, differs, label, questionOf } from "./question";

const address = "?environment=development&environment=production&project=shop&userId=1%2C42&property.country=no";
const question = questionOf(parseSearch(address));

it("reads a question from an address, and writes the same", () => {
  expect(question).toEqual({
    environments: ["development", "production"],
    projects: ["shop"],
    context: { userId: ["1", "42"], country: ["no"] },
  });
  expect(stringifySearch(addressOf(question))).toBe(address);
  expect(questionOf(parseSearch("?environment=&userId=,&offset=3"))).toEqual({
    environments: [],
    projects: [],
    context: {},
  });
});

it("puts fields of its own beside those that have a place in the body", () => {
  expect(bodyOf(question)).toEqual({
    environments: ["development", "production"],
    projects: ["shop"],
    context: { appName: "playground", userId: "1,42", properties: { country: "no" } },
  });
  expect(bodyOf({ environments: ["e"], projects: [], context: { appName: ["shop"] } })).toEqual({
    environments: ["e"],
    projects: "*",
    context: { appName: "shop" },
  });
  expect(combinations(question)).toBe(4);
});

it("names a context by what sets it apart", () => {
  expect(label({ appName: "playground", userId: "42", country: "no" }, question)).toBe("userId 42");
});

it("sees a difference in what is on and in the variant", () => {
  const result = (isEnabled: boolean, name = "disabled") => ({ isEnabled, variant: { name } }) as never;
  expect(differs([result(true), result(true)])).toBe(false);
  expect(differs([result(true), result(false)])).toBe(true);
  expect(differs([result(true, "a"), result(true, "b")])).toBe(true);
});

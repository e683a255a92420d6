import { expect, it } from "vitest";
import { blankRule, draftOf, objectionsTo, objectionTo, ruleOf, type RuleDraft } from "./reviewers";

const all: RuleDraft = { ...blankRule, groups: [1] };
const tagged: RuleDraft = { ...all, about: "tag", tag: "team:payments", need: "each", groups: [2, 3] };
const named: RuleDraft = { ...all, about: "name", namePattern: "shop-.*" };

it("sends what a rule is about and nothing else, and reads it again", () => {
  expect(ruleOf({ ...all, tag: "team:web", namePattern: "shop" })).toEqual({ need: "any", groups: [1] });
  expect(ruleOf({ ...tagged, namePattern: "shop" })).toEqual({
    tag: { type: "team", value: "payments" },
    need: "each",
    groups: [2, 3],
  });
  expect(ruleOf(named)).toEqual({ namePattern: "shop-.*", need: "any", groups: [1] });
  for (const rule of [all, tagged, named]) expect(draftOf(ruleOf(rule))).toEqual(rule);
});

it("says at which field what is missing", () => {
  expect(objectionsTo({ ...blankRule })).toEqual({ groups: "Choose a group." });
  expect(objectionsTo({ ...tagged, tag: "" }).tag).toBe("A tag is missing.");
  expect(objectionsTo({ ...tagged, tag: "payments" }).tag).toContain("write type:value");
  expect(objectionsTo({ ...named, namePattern: " " }).namePattern).toBe("A pattern is missing.");
  expect(objectionsTo({ ...named, namePattern: "(" }).namePattern).toContain("no regular expression");
  expect(objectionsTo({ ...all, groups: Array.from({ length: 21 }, (_, at) => at + 1) }).groups).toContain(
    "at most 20",
  );
  for (const rule of [all, tagged, named]) expect(Object.values(objectionsTo(rule)).filter(Boolean)).toEqual([]);
});

it("names the rule that is wrong", () => {
  expect(objectionTo([all, named])).toBeUndefined();
  expect(objectionTo([all, { ...named, groups: [] }])).toBe("Rule 2: Choose a group.");
  expect(objectionTo([])).toBeUndefined();
});

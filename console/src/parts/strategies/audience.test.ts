import { expect, it } from "vitest";
import { audience, audiences, constraintSentence, operatorNames } from "./audience";

it("says a rollout with its constraints", () => {
  const strategy = {
    name: "flexibleRollout",
    parameters: { rollout: "30", stickiness: "userId", groupId: "x" },
    constraints: [{ contextName: "country", operator: "IN" as const, values: ["no", "dk", "se", "fi"] }],
    segments: [4],
  };
  expect(audience(strategy, new Map([[4, "beta"]]))).toBe(
    "30 % by userId where country is no, dk, se and 1 more and in segment beta",
  );
});

it("says what is turned round, and single values", () => {
  expect(constraintSentence({ contextName: "age", operator: "NUM_GTE", value: "18", inverted: true })).toBe(
    "not: age ≥ 18",
  );
  expect(constraintSentence({ contextName: "country", operator: "NOT_IN", values: [] })).toBe("country is not nothing");
});

it("has a word for every operator, and passes over disabled strategies", () => {
  expect(operatorNames).toHaveLength(18);
  expect(audiences([{ name: "default" }, { name: "default", disabled: true }])).toEqual(["everybody"]);
  expect(audience({ name: "openingHours", parameters: { opens: "8" } })).toBe("openingHours, opens 8");
});

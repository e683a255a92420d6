import { expect, it } from "vitest";
import { draftOf, objections, ofKind } from "./draft";

const hosts = {
  name: "applicationHostname",
  parameters: [{ name: "hostNames", type: "list", required: true }],
} as never;

it("begins with everybody, in a group of its own", () => {
  expect(draftOf(undefined, "checkout")).toMatchObject({
    name: "flexibleRollout",
    parameters: { rollout: "100", stickiness: "default", groupId: "checkout" },
  });
});

it("changes its parameters with its kind, and keeps the constraints", () => {
  const draft = { ...draftOf(undefined, "checkout"), segments: [3] };
  expect(ofKind(draft, hosts, "checkout")).toMatchObject({
    name: "applicationHostname",
    parameters: { hostNames: "" },
    segments: [3],
  });
});

it("tells what is missing", () => {
  const draft = ofKind(draftOf(undefined, "checkout"), hosts, "checkout");
  const constraint = { contextName: "age", operator: "NUM_GT" as const };
  expect(objections({ ...draft, constraints: [constraint] }, hosts)).toEqual([
    "hostNames is missing.",
    "The constraint on age: a value is missing.",
  ]);
});

import { expect, it } from "vitest";
import { eventTypes } from "../../api/generated/operations";
import { eventKinds, groupedKinds } from "./kinds";

it("has each type once, in the group of what it is about", () => {
  const listed = groupedKinds.flatMap(({ items }) => items.map(({ value }) => value));
  expect([...listed].sort()).toEqual([...eventTypes].sort());
  const groupOf = (type: string) => groupedKinds.find(({ items }) => items.some(({ value }) => value === type))?.group;
  expect(groupOf("feature-environment-enabled")).toBe("Feature flags");
  expect(groupOf("project-access-added")).toBe("Projects");
  expect(groupOf("api-token-created")).toBe("People, roles and tokens");
  expect(groupOf("change-request-applied")).toBe("Change requests, signals and actions");
  expect(groupOf("segment-updated")).toBe("Configuration");
});

it("is found by the words of the event log, and by the name of the API", () => {
  const found = (part: string) => eventKinds.filter(({ label }) => label.includes(part)).map(({ value }) => value);
  expect(found("switched")).toEqual(["feature-environment-enabled", "feature-environment-disabled"]);
  expect(found("feature-archived")).toEqual(["feature-archived"]);
});

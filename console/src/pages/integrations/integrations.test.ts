// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { curl } from "../../api/curl";
import { eventTypes } from "../../api/generated/operations";
import {
  draftOf,
  inShort,
  nothing,
  objection,
  planAgain,
  planNew,
  replacesSecret,
  withParameter,
  type Delivery,
  type Draft,
  type Integration,
  type Provider,
} from "./integrations";
import { presetOf } from "./presets";

const parameter = (name: string, more = {}) => ({
  name,
  displayName: name.toUpperCase(),
  type: "text",
  description: "",
  required: false,
  sensitive: false,
  ...more,
});
const provider = {
  name: "webhook",
  parameters: [parameter("url", { required: true, sensitive: true }), parameter("contentType")],
} as Provider;
const draft: Draft = {
  ...nothing,
  provider: "webhook",
  parameters: { url: "https://hooks.example/very-secret", contentType: "text/plain" },
  events: ["feature-created"],
  projects: ["shop"],
};

it("reads what is stored, with all projects as none chosen and values of any kind as text", () => {
  const stored = {
    ...draft,
    description: null,
    projects: ["*"],
    parameters: { url: "*****", retries: 3, ordered: true },
  };
  expect(draftOf(stored as unknown as Integration)).toMatchObject({
    description: "",
    projects: [],
    parameters: { url: "*****", retries: "3", ordered: "true" },
  });
});

it("forgets a parameter that is emptied", () => {
  expect(withParameter({ a: "1", b: "2" }, "a", "")).toEqual({ b: "2" });
  expect(withParameter({ a: "1" }, "b", "2")).toEqual({ a: "1", b: "2" });
});

it("shows no secret in the request, and everything else", () => {
  const command = curl(planNew(draft, provider));
  expect(command).not.toContain("very-secret");
  expect(command).toContain("text/plain");
  expect(planNew(draft, provider).init.body).toMatchObject({
    parameters: { url: "https://hooks.example/very-secret" },
  });
});

it("asks for an administrator where it tells of all projects", () => {
  const needs = (changed: Partial<Draft>) =>
    planNew({ ...draft, ...changed }, provider).operation.needs.map(({ permission }) => permission);
  expect(needs({})).toEqual(["CREATE_ADDON"]);
  expect(needs({ projects: [] })).toEqual(["ADMIN"]);
});

it("names what is missing", () => {
  expect(objection(nothing, undefined)).toBe("Choose a type.");
  expect(objection({ ...draft, parameters: { url: " " } }, provider)).toBe("What is missing: URL.");
  expect(objection({ ...draft, events: [] }, provider)).toMatch(/type of event/);
  expect(objection(draft, provider)).toBeUndefined();
});

it("offers to take a change back unless it replaced a secret", () => {
  const stored = { ...draft, parameters: { url: "*****", contentType: "text/plain" } };
  expect(replacesSecret(stored, { ...stored, enabled: false })).toBe(false);
  expect(replacesSecret(stored, draft)).toBe(true);
  expect(replacesSecret(stored, { ...stored, parameters: {} })).toBe(true);
});

it("says in short what it is told of", () => {
  const names = new Map([["shop", "Web shop"]]);
  expect(inShort({ ...draft, events: ["feature-archived"] }, names)).toBe("archived, in Web shop");
  expect(inShort({ ...draft, events: [...presetOf(eventTypes)!.events] }, names)).toBe("everything, in Web shop");
  expect(inShort({ ...draft, events: ["a", "b"], projects: [], environments: ["production"] }, names)).toBe(
    "2 types of events, in all projects, in production",
  );
});

it("delivers some again by their ids, or all that failed", () => {
  expect(planAgain(3, [{ id: "17" } as Delivery]).init.body).toEqual({ ids: [17] });
  expect(planAgain(3).init.body).toEqual({});
});

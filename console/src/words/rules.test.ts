import { expect, it } from "vitest";
import document from "../../../openapi/flagstone.json";
import { besideField, placeInWords, sentence } from "./rules";

/** What no person should have to read. */
const forMachines = /[`^$\\]|\/(body|query)\b|\b[A-Z]+_[A-Z_]+\b|\[[A-Za-z]-/;
const vague = "does not have the form that is asked for";

it.each([
  [
    "The /body/name property must match the pattern ^[A-Za-z0-9_.!~*'()-]+$.",
    "Name may have letters, digits and - _ . ~ only.",
  ],
  [
    "The /body/constraints/0/value property does not fit the operator: the constraint needs a date as its `value`.",
    "Constraint 1, value must be a date and time, such as 2027-01-31T12:00:00Z.",
  ],
  [
    'The path parameter `providerId` must be another, since addresses use this word for something else; "x-1" would do.',
    'Provider id must be another, since addresses use this word for something else; "x-1" would do.',
  ],
  ["The /body/tokenName property must not be empty.", "Name must not be empty."],
  ["The /body/name property is required.", "Name is missing."],
  ['The /body/type property must be one of "release", "kill-switch".', "Type must be release or kill-switch."],
  ["The /body/name property must have at most 1000 characters.", "Name must have at most 1,000 characters."],
  ["The /body/variants property must have at most 1 items.", "Variants must have at most one entry."],
  ["The /body/rollout property must be of type integer or null.", "Rollout must be a whole number or empty."],
  [
    'The /body/name property must match the naming pattern of the project, "s-.+", such as "s-a". It means: "area first".',
    "Name must follow the naming rule of the project: area first, such as s-a.",
  ],
  [
    "/body/username: a user or a service account with this username exists already.",
    "User name: a user or a service account with this username exists already.",
  ],
  [
    'The name "x" does not match the naming pattern of the project that /body/newProjectId names.',
    'The name "x" does not match the naming pattern of the project that “project” names.',
  ],
  [
    'This needs the "UPDATE_FEATURE_ENVIRONMENT" permission in the "default" environment.',
    'This needs the “Switch feature flags on and off” permission in the "default" environment.',
  ],
  [
    "Link the identity to that user (linkUserIdentity), or reject the request.",
    "Link the identity to that user, or reject the request.",
  ],
  [
    "The /body/expiresAt property must be in the future, and at most 45 days from now.",
    "Expires at must be in the future, and at most 45 days from now.",
  ],
  ["The /body/inactiveUserDays property must be at least 7.", "Inactive user days must be at least 7."],
  ["There is no project named x.", "There is no project named x."],
])("says %s for people", (message, words) => {
  expect(sentence(message)).toBe(words);
});

it("does not name the field beside which it stands", () => {
  const name = "The /body/name property must match the pattern ^[a-zA-Z0-9~_.-]+$.";
  expect(besideField(name, "/body/name")).toBe("Letters, digits, - _ . ~ only.");
  expect(besideField("The /body/name property is required.", "/body/name")).toBe("Is missing.");
  expect(besideField("The /body/tags/1/value property is required.", "/body/tags")).toBe("Tag 2, value is missing.");
  expect(placeInWords("/body/variants/1/payload/value")).toBe("Variant 2, payload, value");
});

it.each([
  ["groupsPath", "Groups claim"],
  ["groupJsonPath", "Groups claim"],
  ["spCertificate", "Service provider key"],
  ["signOutUrl", "Single logout URL"],
  ["emailClaim", "Email claim"],
])("calls the setting %s as the form and the checks of a trial do", (name, words) => {
  expect(placeInWords(name)).toBe(words);
  expect(sentence(`The /body/settings/${name} property is required.`)).toBe(
    `Settings, ${words.charAt(0).toLowerCase()}${words.slice(1)} is missing.`,
  );
});

type Schema = Record<string, unknown>;

/** Schemas that requests are judged by: those of their bodies, and what these are made of. */
function* asked(): Generator<Schema> {
  const seen = new Set<string>();
  const pending: unknown[] = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map((operation) => (operation as Schema).requestBody),
  );
  for (let node = pending.pop(); pending.length || node; node = pending.pop()) {
    if (typeof node !== "object" || node === null) continue;
    const { $ref, ...rest } = node as Schema;
    delete rest.example;
    if (typeof $ref === "string" && !seen.has($ref)) {
      seen.add($ref);
      pending.push((document.components.schemas as Schema)[$ref.split("/").at(-1)!]);
    }
    yield rest;
    pending.push(...Object.values(rest));
  }
}

/** The rules of the document as the API says that they are broken. */
function rulesOf(schema: Schema): string[] {
  const told: [string, (value: unknown) => string][] = [
    ["pattern", (value) => `must match the pattern ${String(value)}`],
    ["minLength", (value) => `must have at least ${String(value)} characters`],
    ["maxLength", (value) => `must have at most ${String(value)} characters`],
    ["minItems", (value) => `must have at least ${String(value)} items`],
    ["maxItems", (value) => `must have at most ${String(value)} items`],
    ["maxProperties", (value) => `must have at most ${String(value)} properties`],
    ["minimum", (value) => `must be at least ${String(value)}`],
    ["maximum", (value) => `must be at most ${String(value)}`],
    ["multipleOf", (value) => `must be a multiple of ${String(value)}`],
    ["type", (value) => `must be of type ${String(value)}`],
    ["enum", (value) => `must be one of ${(value as unknown[]).map((one) => JSON.stringify(one)).join(", ")}`],
  ];
  return told.flatMap(([key, say]) =>
    typeof schema[key] === "string" || typeof schema[key] === "number" || (key === "enum" && Array.isArray(schema[key]))
      ? [say(schema[key])]
      : [],
  );
}

const rules = [...new Set([...asked()].flatMap(rulesOf))];

it("reads the rules of the document", () => {
  expect(rules.length).toBeGreaterThan(60);
  expect(rules.filter((rule) => rule.includes("pattern")).length).toBeGreaterThan(8);
});

it.each(rules.filter((rule) => !/"[A-Z]+_[A-Z_]+"/.test(rule)))("says for people: %s", (rule) => {
  const said = sentence(`The /body/list/12/inner property ${rule}.`);
  expect(said).toMatch(/^List 13, inner [a-z].*\.$/);
  expect(said).not.toMatch(forMachines);
  expect(said).not.toContain(vague);
});

it("says nothing of a pattern that it does not know but that there is one", () => {
  expect(sentence("The /body/a property must match the pattern ^(new|er)$.")).toBe(`A ${vague}.`);
});

// @vitest-environment happy-dom
import { expect, it } from "vitest";
import document from "../../../../../openapi/flagstone.json";
import { addressOf } from "../../../api/request";
import {
  contentOf,
  differences,
  draftOf,
  idFor,
  isNeeded,
  missing,
  missingToTry,
  noRules,
  planOutcome,
  planTrial,
  planUpdate,
  type Draft,
} from "./draft";
import { kindNames, kinds, settingsOf, type Provider } from "./kinds";

const { example } =
  document.paths["/api/admin/auth/providers/{providerId}"].get.responses["200"].content["application/json"];
const stored = example as unknown as Provider;
const start = draftOf(stored);
const roles = [
  { id: 2, name: "Editor" },
  { id: 3, name: "Viewer" },
];

it("sends back what is stored, the mask of the secret with it, when nothing was changed", () => {
  expect(contentOf(stored.kind, start)).toEqual({ settings: stored.settings, rules: stored.rules });
  expect(contentOf(stored.kind, start).settings.secret).toBe("********");
  expect(differences(stored.kind, start, start, roles)).toEqual([]);
  expect(planUpdate("google", "google", start).init.body).toEqual({
    label: stored.label,
    icon: stored.icon,
    enabled: stored.enabled,
    settings: stored.settings,
    rules: stored.rules,
  });
});

it("tries what the form holds, and neither its button nor whether it is in use", () => {
  const draft: Draft = { ...start, label: "Other", enabled: false };
  const planned = planTrial("google", "google", draft);
  expect(planned.init.body).toEqual({ kind: "google", settings: stored.settings, rules: stored.rules });
  expect([planned.method, addressOf(planned)]).toEqual(["POST", "/api/admin/auth/providers/google/test"]);
  expect(planned.operation.id).toBe("trySignInProvider");
  const outcome = planOutcome("google", "a trial");
  expect(addressOf(outcome)).toBe("/api/admin/auth/providers/google/test/a%20trial");
  expect(outcome.operation.id).toBe("getSignInProviderTrial");
});

it.each(kindNames)("sends of %s only what that kind has, whatever was typed for another one", (kind) => {
  const everything = Object.fromEntries(kindNames.flatMap(settingsOf).map((name) => [name, "typed"]));
  const { settings } = contentOf(kind, { settings: everything, rules: noRules });
  expect(Object.keys(settings).sort()).toEqual([...settingsOf(kind)].sort());
});

it("says nothing of what is empty, and of a switch only what it is not by itself", () => {
  const settings = { clientId: " flags ", secret: " kept ", acrValues: " ", scopes: [], requireVerifiedEmail: false };
  expect(contentOf("oidc", { settings, rules: noRules })).toEqual({
    settings: { clientId: "flags", secret: " kept ", requireVerifiedEmail: false },
    rules: {},
  });
  expect(draftOf({ ...stored, settings: {} }).settings.requireVerifiedEmail).toBe(true);
  expect(draftOf({ ...stored, settings: { requireVerifiedEmail: false } }).settings.requireVerifiedEmail).toBe(false);
});

it("sends roles by their ids", () => {
  const rules = { ...noRules, autoCreate: true, defaultRootRoleId: "2" };
  const rootRoles = [{ claim: " hd ", value: " as it is ", roleId: "3" }];
  expect(contentOf("oidc", { settings: {}, rules: { ...rules, rootRoles } }).rules).toEqual({
    autoCreate: true,
    defaultRootRoleId: 2,
    rootRoles: [{ claim: "hd", value: " as it is ", roleId: 3 }],
  });
});

const draft = { label: "Corp", settings: {}, rules: noRules };

it.each(kindNames)("says what %s lacks", (kind) => {
  expect(missing(kind, draft)).toHaveLength(kinds[kind].needs.length);
  expect(missing(kind, { ...draft, label: " " })).toHaveLength(kinds[kind].needs.length + 1);
  expect(missingToTry(kind, draft)).toEqual(missing(kind, draft));
});

it("needs the path of groups where rules are about groups and the kind has none", () => {
  const byGroup = { ...draft, rules: { ...noRules, requiredGroups: ["staff"] } };
  const syncing = { ...draft, rules: { ...noRules, syncGroups: true } };
  for (const one of [byGroup, syncing]) {
    expect(isNeeded("oidc", one, "groupsPath")).toBe(true);
    expect(isNeeded("saml", one, "groupsPath")).toBe(true);
    expect(isNeeded("keycloak", one, "groupsPath")).toBe(false);
  }
  expect(isNeeded("oidc", draft, "groupsPath")).toBe(false);
  expect(missing("oidc", byGroup)).toContain("Groups claim");
});

it("needs the key of SAML where requests are signed, and the whole of a role by claim", () => {
  expect(isNeeded("saml", draft, "spCertificate")).toBe(false);
  expect(missing("saml", { ...draft, settings: { signRequests: true } })).toContain("Service provider key");
  const unfinished = { ...draft, rules: { ...noRules, rootRoles: [{ claim: "hd", value: "", roleId: "" }] } };
  expect(missing("oidc", unfinished)).toContain("Claim and role of each role by claim");
});

it("tells what saving changes in words, and never a secret", () => {
  const after = {
    ...start,
    enabled: false,
    settings: { ...start.settings, secret: "another", hostedDomains: ["example.com", "example.org"] },
    rules: { ...start.rules, defaultRootRoleId: "2", rootRoles: [] },
  };
  const found = differences(stored.kind, start, after, roles);
  expect(found).toEqual([
    { label: "In use", before: "on", after: "off" },
    { label: "Client secret", before: "one (hidden)", after: "another one (hidden)" },
    { label: "Google organizations (hd)", before: "example.com", after: "example.com, example.org" },
    { label: "Their role in the whole instance", before: "none", after: "Editor" },
    { label: "Roles by claim", before: "hd = example.com: Editor", after: "none" },
  ]);
  expect(JSON.stringify(found)).not.toMatch(/\*\*\*|"another"/);
});

it.each([
  ["Corp", "corp"],
  ["Müller & Söhne (Contractors)", "muller-sohne-contractors"],
  ["  ", ""],
  ["日本", ""],
  [`${"a".repeat(49)} b`, "a".repeat(49)],
])("proposes for %j the id %j", (label, id) => {
  expect(idFor(label)).toBe(id);
  if (id) expect(id).toMatch(new RegExp(document.components.schemas.SignInProviderCreate.properties.id.pattern));
});

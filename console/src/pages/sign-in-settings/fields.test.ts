import { expect, it } from "vitest";
import { bodyOf, differences, missing, onTopOf, valuesOf } from "./fields";

const roles = [
  { id: 3, name: "Viewer" },
  { id: 2, name: "Editor" },
];
const stored = { enabled: true, clientId: "flags", secret: "s3cret", autoCreate: true, defaultRootRole: "Editor" };
const start = valuesOf("oidc", stored, roles);

it("keeps what is stored, and takes a role by its name", () => {
  expect(start).toMatchObject({ enabled: true, clientId: "flags", discoverUrl: "", defaultRootRoleId: "2" });
  expect(bodyOf("oidc", start)).toEqual({
    enabled: true,
    clientId: "flags",
    secret: "s3cret",
    autoCreate: true,
    defaultRootRoleId: 2,
  });
});

it("keeps the values of a provider that is switched off, and asks for none", () => {
  const off = { ...start, enabled: false, secret: "" };
  expect(missing("oidc", off)).toEqual([]);
  expect(missing("oidc", { ...off, enabled: true }).map(({ name }) => name)).toEqual(["secret"]);
  expect(bodyOf("oidc", off)).toMatchObject({ enabled: false, clientId: "flags" });
});

it("never shows a secret among the differences", () => {
  const changed = { ...start, secret: "another", clientId: "flags-2", enabled: false };
  const found = differences("oidc", start, changed);
  expect(found).toEqual([
    { label: "In use", before: "on", after: "off" },
    { label: "Client id", before: "flags", after: "flags-2" },
    { label: "Client secret", before: "one (hidden)", after: "another one (hidden)" },
  ]);
  expect(JSON.stringify(found)).not.toMatch(/s3cret|"another"/);
  expect(differences("saml", valuesOf("saml", {}, []), valuesOf("saml", { spCertificate: "key" }, []))).toEqual([
    { label: "Service provider key", before: "none", after: "one (hidden)" },
  ]);
});

it("puts only what was changed on top of what somebody else saved meanwhile", () => {
  const theirs = { ...start, clientId: "theirs", emailDomains: "example.com" };
  const mine = { ...start, emailDomains: "example.org" };
  expect(onTopOf(theirs, start, mine)).toMatchObject({ clientId: "theirs", emailDomains: "example.org" });
});

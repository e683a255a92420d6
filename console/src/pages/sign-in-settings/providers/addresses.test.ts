import { expect, it } from "vitest";
import document from "../../../../../openapi/flagstone.json";
import { addressesOf, needsOf } from "./addresses";

it("tells before a provider is there the addresses that it will have", () => {
  const { example } =
    document.paths["/api/admin/auth/providers/{providerId}"].get.responses["200"].content["application/json"];
  expect(addressesOf("https://flags.example.com/", "google", "google", "")).toEqual(example.addresses);
});

it("tells those of SAML, with the entity id that is set", () => {
  const base = "https://flags.example.com/team";
  const own = `${base}/auth/providers/corp`;
  expect(needsOf(addressesOf(base, "corp", "saml", " "))).toEqual([
    ["Assertion consumer service (POST)", `${own}/acs`],
    ["Where people begin", `${own}/login`],
    ["Single logout (GET and POST)", `${own}/logout/done`],
    ["Entity id", `${own}/metadata`],
    ["Our metadata", `${own}/metadata`],
  ]);
  expect(addressesOf(base, "corp", "saml", " urn:flags ").entityId).toBe("urn:flags");
  expect(needsOf(addressesOf(base, "corp", "oidc", "")).map(([label]) => label)).toEqual([
    "Redirect address",
    "Where people begin",
    "Back-channel logout",
  ]);
  expect(needsOf(addressesOf(base, "corp", "github", "")).map(([label]) => label)).toEqual([
    "Redirect address",
    "Where people begin",
  ]);
});

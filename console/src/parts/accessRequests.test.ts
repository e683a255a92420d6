import { expect, it } from "vitest";
import { providerOf } from "./accessRequests";

const providers = [
  { id: "corp", label: "Corp" },
  { id: "oidc", label: "Another one" },
];

it("names the login provider of a request by its label, or by the protocol of the settings", () => {
  expect(providerOf({ provider: "oidc", providerId: "corp" }, providers)).toBe("Corp");
  expect(providerOf({ provider: "oidc" }, providers)).toBe("OpenID Connect");
  expect(providerOf({ provider: "saml" }, providers)).toBe("SAML");
});

it("names a login provider that is gone by its id", () => {
  expect(providerOf({ provider: "oidc", providerId: "gone" }, providers)).toBe("gone");
});

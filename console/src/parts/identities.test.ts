import { expect, it } from "vitest";
import { linkable, providerOf } from "./identities";

const options = [
  { type: "oidc", message: "Sign in with OpenID Connect", path: "/auth/oidc/login" },
  { type: "oidc", message: "Google", path: "/auth/providers/google/login", id: "google", icon: "google" },
] as const;

it("names a provider by its button, and without one by its issuer", () => {
  const issuer = "https://accounts.google.com";
  expect(providerOf({ providerId: "google", issuer }, options)).toBe("Google");
  expect(providerOf({ providerId: "disabled", issuer }, options)).toBe(issuer);
  expect(providerOf({ issuer }, options)).toBe(issuer);
});

it("offers to link identities of further providers alone", () => {
  expect(linkable(options)).toEqual([{ id: "google", message: "Google" }]);
});

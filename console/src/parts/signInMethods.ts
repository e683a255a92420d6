import type { Schemas } from "../api/request";

/** Ways of signing in, as lists call them. */
export const signInMethods: Record<Schemas["SignInMethod"], string> = {
  simple: "password",
  oidc: "OpenID Connect",
  saml: "SAML",
  link: "link",
  passkey: "passkey",
};

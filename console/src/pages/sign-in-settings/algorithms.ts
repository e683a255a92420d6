import type { Schemas } from "../../api/request";

type Algorithm = Schemas["TokenAlgorithm"];

/** Algorithms that tokens of OpenID Connect can be signed by. */
export const algorithms: readonly Algorithm[] = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "EdDSA",
];

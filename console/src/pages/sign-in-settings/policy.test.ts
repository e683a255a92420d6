// @vitest-environment happy-dom
import { expect, it } from "vitest";
import document from "../../../../openapi/flagstone.json";
import { longestClaim, policyClaims } from "./claims";
import { planPolicy, type SignInPolicy } from "./policy";

const { properties } = document.components.schemas.SignInPolicy;
const stored: SignInPolicy = {
  samlIdpInitiated: false,
  samlSignRequests: false,
  oidcExtraScopes: [],
  requireVerifiedEmail: false,
  clockSkewSeconds: 60,
};

it("sends the places of email and name as they are meant, and forgets what is empty", () => {
  const policy = { ...stored, samlEntityId: " ", oidcEmailClaim: " mail ", samlNameAttribute: "urn:oid:2.16 x" };
  const { body } = planPolicy(policy).init;
  expect(JSON.parse(JSON.stringify(body))).toEqual({
    ...stored,
    oidcEmailClaim: "mail",
    samlNameAttribute: "urn:oid:2.16 x",
  });
});

it("has each claim and attribute of the policy, with its bound", () => {
  const named = Object.entries(properties).filter(([name]) => /(?:Claim|Attribute)$/.test(name));
  expect(policyClaims.map(({ name }) => name).sort()).toEqual(named.map(([name]) => name).sort());
  for (const [, property] of named) expect(property).toMatchObject({ maxLength: longestClaim });
});

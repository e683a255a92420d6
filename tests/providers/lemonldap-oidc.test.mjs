// LemonLDAP::NG speaking OpenID Connect: its issuer ends in a slash, and it says nothing of whether an email is verified.
import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "./flow.mjs";
import { lemonldap } from "./lemonldap.mjs";
import { base, certificate, key } from "./place.mjs";

const provider = await lemonldap("oidc", ({ url, name }) => ({
  issuerDBOpenIDConnectActivation: 1,
  oidcServiceMetaDataIssuer: `${url}/`,
  oidcServicePrivateKeySig: key(name),
  oidcServicePublicKeySig: certificate(name),
  oidcServiceKeyIdSig: name,
  oidcRPMetaDataExportedVars: { flagstone: { email: "mail", name: "cn", groups: "groups" } },
  oidcRPMetaDataOptionsExtraClaims: { flagstone: { groups: "groups" } },
  oidcRPMetaDataOptions: {
    flagstone: {
      oidcRPMetaDataOptionsClientID: "flagstone",
      oidcRPMetaDataOptionsClientSecret: "a-secret-of-the-tests",
      oidcRPMetaDataOptionsRedirectUris: `${base}/auth/oidc/callback`,
      oidcRPMetaDataOptionsPostLogoutRedirectUris: `${base}/`,
      oidcRPMetaDataOptionsIDTokenSignAlg: "RS256",
      oidcRPMetaDataOptionsBypassConsent: 1,
      oidcRPMetaDataOptionsLogoutUrl: `${base}/auth/oidc/frontchannel-logout`,
      oidcRPMetaDataOptionsLogoutType: "front",
      oidcRPMetaDataOptionsLogoutSessionRequired: 1,
    },
  },
}));

const { signIn } = proves({
  ...provider,
  secondFactor: { ...provider.secondFactor, settings: { acrValues: "loa-5" } },
  settings: () => ({
    discoverUrl: `${provider.url}/`,
    clientId: "flagstone",
    secret: "a-secret-of-the-tests",
    addGroupsScope: true,
    enableSingleSignOut: true,
  }),
});

test("lemonldap-oidc: a frame that names the person and no session ends nothing", async () => {
  // Version 2.16 sends who it is where the session is meant, and its ID tokens name no session. Whoever knew the name of
  // somebody could sign them out.
  const { visitor } = await signIn();
  await visitor.go(`${provider.url}/?logout=1`);
  const frame = visitor.trail.find((url) => url.startsWith(`${base}/auth/oidc/frontchannel-logout`));
  assert.equal(new URL(frame).searchParams.get("sid"), "dwho");
  assert.equal((await visitor.who()).email, provider.person.email);
});

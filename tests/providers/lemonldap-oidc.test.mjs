// LemonLDAP::NG speaking OpenID Connect: its issuer ends in a slash, and it says nothing of whether an email is verified.
import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "./flow.mjs";
import { lemonldap } from "./lemonldap.mjs";
import { base, certificate, key } from "./place.mjs";

const frontChannelLogout = `${base}/auth/oidc/frontchannel-logout`;

await proves("oidc", async ({ id, clientId, callback, home }) => {
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
        oidcRPMetaDataOptionsClientID: clientId,
        oidcRPMetaDataOptionsClientSecret: "a-secret-of-the-tests",
        oidcRPMetaDataOptionsRedirectUris: callback,
        oidcRPMetaDataOptionsPostLogoutRedirectUris: home,
        oidcRPMetaDataOptionsIDTokenSignAlg: "RS256",
        oidcRPMetaDataOptionsBypassConsent: 1,
        // Further providers have no such address.
        ...(!id && {
          oidcRPMetaDataOptionsLogoutUrl: frontChannelLogout,
          oidcRPMetaDataOptionsLogoutType: "front",
          oidcRPMetaDataOptionsLogoutSessionRequired: 1,
        }),
      },
    },
  }));

  // Version 2.16 sends who it is where the session is meant, and its ID tokens name no session. Whoever knew the name of
  // somebody could sign them out.
  const namesNoSession = ({ signIn }) =>
    test("a frame that names the person and no session ends nothing", async () => {
      const { visitor } = await signIn();
      await visitor.go(`${provider.url}/?logout=1`);
      const frame = visitor.trail.find((url) => url.startsWith(frontChannelLogout));
      assert.equal(new URL(frame).searchParams.get("sid"), "dwho");
      assert.equal((await visitor.who()).email, provider.person.email);
    });

  return {
    ...provider,
    secondFactor: { ...provider.secondFactor, settings: { acrValues: "loa-5" } },
    settings: () => ({
      discoverUrl: `${provider.url}/`,
      clientId,
      secret: "a-secret-of-the-tests",
      addGroupsScope: true,
      enableSingleSignOut: true,
    }),
    unlikeSettings: { requireVerifiedEmail: false },
    special: id ? undefined : namesNoSession,
  };
});

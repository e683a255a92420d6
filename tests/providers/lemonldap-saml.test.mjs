// LemonLDAP::NG speaking SAML by lasso: reads our metadata and insists on signed requests.
import { proves } from "./flow.mjs";
import { lemonldap } from "./lemonldap.mjs";
import { certificate, key, ourCertificate, ourKey } from "./place.mjs";

await proves("saml", async ({ metadata: ours }) => {
  let metadata;
  const provider = await lemonldap("saml", ({ name }) => ({
    issuerDBSAMLActivation: 1,
    samlServicePrivateKeySig: key(name),
    samlServicePublicKeySig: certificate(name),
    samlServiceUseCertificateInResponse: 1,
    samlSPMetaDataXML: { flagstone: { samlSPMetaDataXML: metadata } },
    samlSPMetaDataExportedAttributes: {
      flagstone: { cn: "1;firstName;;", groups: "0;groups;;" },
    },
    samlSPMetaDataOptions: {
      flagstone: {
        samlSPMetaDataOptionsNameIDFormat: "email",
        samlSPMetaDataOptionsSignSSOMessage: 1,
        samlSPMetaDataOptionsSignSLOMessage: 1,
        samlSPMetaDataOptionsCheckSSOMessageSignature: 1,
        samlSPMetaDataOptionsCheckSLOMessageSignature: 1,
      },
    },
  }));
  return {
    ...provider,
    signOutThere: `${provider.url}/?logout=1`,
    policy: { samlSignRequests: true },
    async start() {
      metadata = await (await fetch(ours)).text();
      await provider.start();
    },
    settings: () => ({
      entityId: `${provider.url}/saml/metadata`,
      signOnUrl: `${provider.url}/saml/singleSignOn`,
      signOutUrl: `${provider.url}/saml/singleLogout`,
      certificate: provider.certificates(),
      spCertificate: ourKey() + ourCertificate(),
    }),
  };
});

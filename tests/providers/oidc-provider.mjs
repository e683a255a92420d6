// npm `oidc-provider`: ID tokens with email and groups, a `sid`, back-channel sign-out, and `iss` beside the code. It knows
// the server by these registrations, of which `settings` are by default those of the first.
import { createPrivateKey } from "node:crypto";
import express from "express";
import Provider from "oidc-provider";
import { freeAddress, key } from "./place.mjs";
import { totp } from "./totp.mjs";

const acr = "urn:tests:second-factor";
// Of the person's app, in base 32.
const secret = "gezdgnbvgy3tqojqgezdgnbvgy3tqojq";
const person = { email: "ada@oidc-provider.example", name: "Ada Lovelace" };
const jwk = (name) => ({ ...createPrivateKey(key(name)).export({ format: "jwk" }), kid: name, alg: "RS256", use: "sig" });

export async function oidcProvider(...known) {
  const { port, url } = await freeAddress();
  let groups = [];
  let keys = ["provider"];
  let isEnrolled = false;
  let server;

  function provider() {
    const made = new Provider(url, {
      jwks: { keys: keys.map(jwk) },
      clients: known.map(({ clientId, callback, home, backChannelLogout }) => ({
        client_id: clientId,
        client_secret: "a-secret-of-the-tests",
        redirect_uris: [callback],
        post_logout_redirect_uris: [home],
        backchannel_logout_uri: backChannelLogout,
        backchannel_logout_session_required: true,
      })),
      cookies: { keys: ["tests"] },
      scopes: ["openid", "groups"],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
      conformIdTokenClaims: false,
      acrValues: [acr],
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...person, email_verified: true, groups }) }),
      // Nobody is asked to consent.
      async loadExistingGrant({ oidc }) {
        const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
        grant.addOIDCScope("openid email profile groups");
        await grant.save();
        return grant;
      },
      // What the library connects with by itself refuses addresses of this machine.
      fetch: (address, { dispatcher, ...options }) => fetch(address, options),
    });
    for (const event of ["server_error", "backchannel.error"]) made.on(event, (_, error) => console.error(error));
    const app = express();
    const fields = () => ["login", ...(isEnrolled ? ["code"] : [])].map((name) => `<input type="text" name="${name}">`).join("");
    app.get("/interaction/:uid", (_, answer) => answer.send(`<form method="post">${fields()}</form>`));
    app.post("/interaction/:uid", express.urlencoded({ extended: false }), (asked, answer) => {
      if (isEnrolled && asked.body.code !== totp(secret)) return answer.redirect(303, asked.originalUrl);
      const login = { accountId: asked.body.login, ...(isEnrolled && { acr, amr: ["pwd", "otp"] }) };
      return made.interactionFinished(asked, answer, { login });
    });
    app.use(made.callback());
    return app;
  }

  async function start() {
    server = provider().listen(port);
    await new Promise((resolve) => server.once("listening", resolve));
  }

  async function stop() {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  return {
    name: "oidc-provider",
    protocol: "oidc",
    url,
    person,
    answers: { login: "ada" },
    secondFactor: {
      settings: { acrValues: acr },
      async enrol() {
        isEnrolled = true;
        return () => totp(secret);
      },
      async forget() {
        isEnrolled = false;
      },
    },
    signOut: { logout: "yes" },
    signOutThere: `${url}/session/end`,
    start,
    stop,
    settings: ({ clientId } = known[0]) => ({
      discoverUrl: url,
      clientId,
      secret: "a-secret-of-the-tests",
      addGroupsScope: true,
      enableSingleSignOut: true,
    }),
    tell: (told) => (groups = told),
    async rotate() {
      await stop();
      keys = ["other", "provider"];
      await start();
    },
  };
}

// npm `oidc-provider`: ID tokens with email and groups, a `sid`, back-channel sign-out, and `iss` beside the code. `base` is
// the public address of the server that people sign in to.
import { createPrivateKey } from "node:crypto";
import express from "express";
import Provider from "oidc-provider";
import { freeAddress, key } from "./place.mjs";

const person = { email: "ada@oidc-provider.example", name: "Ada Lovelace" };
const jwk = (name) => ({ ...createPrivateKey(key(name)).export({ format: "jwk" }), kid: name, alg: "RS256", use: "sig" });

export async function oidcProvider(base) {
  const { port, url } = await freeAddress();
  let groups = [];
  let keys = ["provider"];
  let server;

  function provider() {
    const made = new Provider(url, {
      jwks: { keys: keys.map(jwk) },
      clients: [
        {
          client_id: "flagstone",
          client_secret: "a-secret-of-the-tests",
          redirect_uris: [`${base}/auth/oidc/callback`],
          post_logout_redirect_uris: [`${base}/`],
          backchannel_logout_uri: `${base}/auth/oidc/backchannel-logout`,
          backchannel_logout_session_required: true,
        },
      ],
      cookies: { keys: ["tests"] },
      scopes: ["openid", "groups"],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
      conformIdTokenClaims: false,
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
    app.get("/interaction/:uid", (_, answer) => answer.send('<form method="post"><input type="text" name="login"></form>'));
    app.post("/interaction/:uid", express.urlencoded({ extended: false }), (asked, answer) =>
      made.interactionFinished(asked, answer, { login: { accountId: asked.body.login } }),
    );
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
    signOut: { logout: "yes" },
    signOutThere: `${url}/session/end`,
    start,
    stop,
    settings: () => ({
      discoverUrl: url,
      clientId: "flagstone",
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

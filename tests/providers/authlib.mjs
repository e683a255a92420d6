// Authlib, in PyPI `oidc-provider-mock`: ID tokens without `email_verified`, no session of its own, no way to sign out
// there that tells anybody. Each start makes a new key.
import assert from "node:assert/strict";
import { freeAddress, program, python } from "./place.mjs";

export async function authlib({ clientId }) {
  const { port, url } = await freeAddress();
  const person = { email: "ada@authlib.example", name: "Ada Lovelace" };
  let groups = [];
  let running;

  async function tell(told) {
    groups = told;
    const answer = await fetch(`${url}/users/ada`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...person, groups }),
    });
    assert.equal(answer.status, 204);
  }

  async function start() {
    running = await program(python, ["-m", "oidc_provider_mock", "--port", `${port}`], { url });
    await tell(groups);
  }

  return {
    name: "authlib",
    protocol: "oidc",
    url,
    person,
    answers: { sub: "ada" },
    signOut: { "": "" },
    forgetful: true,
    start,
    stop: () => running.stop(),
    settings: () => ({
      discoverUrl: `${url}/.well-known/openid-configuration`,
      clientId,
      secret: "a-secret-of-the-tests",
      enableSingleSignOut: true,
    }),
    // It does not say whether an email is verified.
    unlikeSettings: { requireVerifiedEmail: false },
    tell,
    async rotate() {
      await running.stop();
      await start();
    },
  };
}

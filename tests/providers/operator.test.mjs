// What an operator does: login providers set up in the environment, and the two ways back when nobody can sign in.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { oidcProvider } from "./oidc-provider.mjs";
import { certificateFile, ourCertificate, ourKey, until } from "./place.mjs";
import { registration } from "./registration.mjs";
import { samlProvider } from "./samlp.mjs";
import { password, server } from "./server.mjs";
import { Visitor } from "./visitor.mjs";

const operated = await server();
const { base } = operated;
const oidc = await oidcProvider(registration(base, "oidc"));
const saml = await samlProvider(registration(base, "saml"));
const environment = {
  OIDC_ENABLED: "true",
  OIDC_DISCOVER_URL: oidc.settings().discoverUrl,
  OIDC_CLIENT_ID: oidc.settings().clientId,
  OIDC_CLIENT_SECRET: oidc.settings().secret,
  OIDC_AUTO_CREATE: "true",
  OIDC_DEFAULT_ROOT_ROLE: "Admin",
  OIDC_ENABLE_SINGLE_SIGN_OUT: "true",
  SAML_ENABLED: "true",
  SAML_ENTITY_ID: saml.settings().entityId,
  SAML_SIGNON_URL: saml.settings().signOnUrl,
  SAML_SIGNOUT_URL: saml.settings().signOutUrl,
  SAML_SIGNOUT_CERTIFICATE: ourKey() + ourCertificate(),
  SAML_CERTIFICATE_FILE: certificateFile("provider"),
  SAML_AUTO_CREATE: "true",
  SAML_EMAIL_DOMAINS: " @SAMLP.example, other.example",
};

before(async () => {
  await Promise.all([oidc.start(), saml.start()]);
  await operated.start(environment);
  const policy = await operated.ask("/api/admin/auth/policy");
  await operated.ask("/api/admin/auth/policy", { method: "PUT", body: { ...policy, ...saml.policy } });
});
after(async () => {
  await operated.stop();
  await Promise.all([oidc.stop(), saml.stop()]);
});

async function signIn(provider) {
  const visitor = new Visitor(base);
  const landed = await visitor.go(`/auth/${provider.protocol}/login`, provider.answers);
  assert.equal(landed.url, `${base}/`, landed.text);
  return visitor;
}

const logIn = (visitor) => visitor.ask("/auth/simple/login", { method: "POST", body: { username: "admin", password } });
const setPasswords = async (visitor, disabled, status = 200) => {
  const answer = await visitor.ask("/api/admin/auth/simple/settings", { method: "POST", body: { disabled } });
  assert.equal(answer.status, status, answer.text);
};

test("providers that the environment names let people in and cannot be changed", async () => {
  const { options } = (await new Visitor(base).ask("/api/admin/user")).body;
  assert.deepEqual(
    options.map(({ type, path }) => [type, path]),
    [["oidc", "/auth/oidc/login"], ["saml", "/auth/saml/login"]],
  );
  for (const [provider, role] of [[oidc, 1], [saml, 3]]) {
    const visitor = await signIn(provider);
    const { email, id } = await visitor.who();
    assert.equal(email, provider.person.email);
    assert.equal((await operated.ask(`/api/admin/user-admin/${id}`)).rootRole, role);
    const left = await visitor.go("/logout", provider.signOut, { method: "POST" });
    assert.equal(left.url.split("?")[0], `${base}/`);
    assert.ok(visitor.trail.some((url) => url.startsWith(provider.url)), "it was at the provider");
    const change = { method: "POST", body: { enabled: false }, status: 403 };
    const { message } = await operated.ask(`/api/admin/auth/${provider.protocol}/settings`, change);
    assert.match(message, /environment/);
  }
  const visitor = await signIn(oidc);
  const { body } = await visitor.ask("/api/admin/ui-config");
  assert.deepEqual([body.oidcConfiguredThroughEnv, body.samlConfiguredThroughEnv], [true, true]);
});

test("`flagstone settings passwords on` lets people sign in with a password again", async () => {
  const ada = await signIn(oidc);
  const admin = new Visitor(base);
  assert.equal((await logIn(admin)).status, 200);
  await setPasswords(admin, true, 403);
  await setPasswords(ada, true);
  const refused = await logIn(new Visitor(base));
  assert.deepEqual([refused.status, refused.body.name], [422, "DisabledError"]);
  assert.equal((await new Visitor(base).ask("/api/admin/user")).body.defaultHidden, true);
  assert.match(await operated.command("settings", "passwords", "on"), /password/i);
  await until("passwords let people in again", async () => (await logIn(new Visitor(base))).status === 200);
  const { events } = await operated.ask("/api/admin/events");
  assert.equal(events[0].type, "setting-updated");
});

test("`flagstone user sign-in-link` signs somebody in once while passwords are off", async () => {
  await setPasswords(await signIn(oidc), true);
  const [link] = (await operated.command("user", "sign-in-link", "admin")).match(/http\S+/);
  assert.ok(link.startsWith(`${base}/auth/link?token=`), link);
  const visitor = new Visitor(base);
  const landed = await visitor.go(link);
  assert.equal(landed.url, `${base}/`, landed.text);
  assert.equal((await visitor.who()).username, "admin");
  const again = await new Visitor(base).go(link);
  assert.equal(again.status, 401);
  await setPasswords(visitor, false);
  assert.equal((await logIn(new Visitor(base))).status, 200);
  const { signIns } = await operated.ask("/api/admin/auth/sign-ins");
  const links = signIns.filter(({ method }) => method === "link").map(({ outcome }) => outcome);
  assert.deepEqual(links, ["signed-in", "link-made"]);
});

test("what is secret is in no log", async () => {
  await signIn(oidc);
  const said = operated.said();
  assert.ok(said.includes("finishOidcSignIn"));
  const { OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret } = environment;
  const sent = Buffer.from(`${id}:${secret}`).toString("base64");
  for (const told of [secret, sent, "PRIVATE KEY", "eyJ", "code=", "ticket="]) {
    assert.ok(!said.includes(told), `the log holds ${told}`);
  }
});

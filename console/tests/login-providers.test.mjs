// Login providers beside the two settings: tried, created, ordered, changed, switched off and deleted, and identities at them.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { ownServer } from "./own-server.mjs";
import { loginProvider } from "./provider.mjs";
import { authenticator } from "./totp.mjs";

await ownServer();
const {
  admin,
  ask,
  assertAccessible,
  assertAtPeace,
  assertWithin,
  eventually,
  narrow,
  reach,
  server,
  takeBack,
  uncovered,
  visitor,
} = await import("./chromium.mjs");
const { api, choose, freshName, post, put, userNamed } = await import("./administration.mjs");
const { isIn, password, press, write } = await import("./second-factor.mjs");

const providersAt = `${api}/auth/providers`;
const providers = async () => (await ask(providersAt)).providers;
const stored = async (id) => (await providers()).find((one) => one.id === id);
const labels = async () => (await providers()).map(({ label }) => label);

/** A provider of OpenID Connect by its id, which is its label, too. */
const providerNamed = (id, issuer, more = {}) =>
  post("/auth/providers", {
    id,
    kind: "oidc",
    label: id,
    enabled: true,
    settings: { clientId: "flags", secret: "kept-to-itself", discoverUrl: issuer },
    ...more,
  });

/** Somebody at the page to sign in, who comes in through a provider; who that is here. */
async function comeInThrough(label) {
  const { page } = await visitor();
  await page.goto(`${server}/console/sign-in`);
  await press(page, page.getByRole("link", { name: label, exact: true }));
  await isIn(page);
  const answer = await page.context().request.get(`${server}/api/admin/user`);
  return (await answer.json()).user;
}

let name;

beforeEach(async () => {
  name = freshName();
  for (const { id } of await providers()) await ask(`${providersAt}/${id}`, { method: "DELETE" });
});

test("an administrator creates a provider by the keyboard alone, and somebody comes in through it", async (t) => {
  const provider = await loginProvider(`${name}@example.com`);
  t.after(() => provider.close());
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/settings/sign-in/providers");
  await page.getByText("There is no login provider besides those of OpenID Connect and SAML.").waitFor();
  await assertAccessible(page, "no login provider");

  await press(page, page.getByRole("button", { name: "New login provider" }));
  const form = page.getByRole("dialog", { name: "New login provider" });
  await page.waitForFunction(() => document.activeElement?.matches("[role=dialog] input[type=radio]"));
  await assertAccessible(page, "a new login provider");

  // Each kind asks for what it needs, and for nothing else.
  await page.keyboard.press("ArrowDown");
  await form.getByRole("radio", { name: "SAML 2.0", checked: true }).waitFor();
  await form.getByLabel("Entity id of the provider").waitFor();
  assert.equal(await form.getByLabel(/^Client id/).count(), 0);
  await page.keyboard.press("ArrowDown");
  await form.getByRole("radio", { name: "Google", checked: true }).waitFor();
  await form.getByLabel("Google organizations (hd)").waitFor();
  assert.equal(await form.getByLabel(/^Label/).inputValue(), "Google");
  for (const _ of ["SAML", "OpenID Connect"]) await page.keyboard.press("ArrowUp");
  await form.getByRole("radio", { name: "OpenID Connect", checked: true }).waitFor();
  assert.equal(await form.getByLabel(/^Label/).inputValue(), "");

  await write(page, form.getByLabel(/^Label/), name);
  assert.equal(await form.getByLabel(/^Id/).inputValue(), name, "the id follows the label");
  await form.getByText(`${server}/auth/providers/${name}/callback`, { exact: true }).waitFor();
  await write(page, form.getByLabel(/^Client id/), "flags");
  await write(page, form.getByLabel(/^Client secret/), "kept-to-itself");
  const create = form.getByRole("button", { name: `Create ${name}` });
  assert.equal(await create.getAttribute("aria-disabled"), "true", "it needs a discovery URL");
  const address = form.getByLabel(/^Discovery URL/);
  await write(page, address, "http://elsewhere.example");
  await page.keyboard.press("Enter");
  await form.getByText("Must be an absolute https address").waitFor();
  assert.equal(await address.getAttribute("aria-invalid"), "true");
  assert.equal(await form.getByRole("alert").count(), 0, "it is said once");
  assert.deepEqual(await providers(), []);
  await reach(page, address);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(provider.issuer);
  await reach(page, form.getByRole("switch", { name: /^People who were never here/ }));
  await page.keyboard.press("Space");
  await form.getByText("Roles by claim", { exact: true }).waitFor();
  await press(page, create);
  await uncovered(page);
  await page.getByRole("row").filter({ hasText: name }).getByText("OpenID Connect", { exact: true }).waitFor();

  const { id, kind, enabled, settings, rules, addresses } = await stored(name);
  assert.deepEqual([id, kind, enabled], [name, "oidc", true]);
  assert.deepEqual(settings, { clientId: "flags", secret: "********", discoverUrl: provider.issuer });
  assert.deepEqual(rules, { autoCreate: true });
  assert.equal(addresses.redirectUrl, `${server}/auth/providers/${name}/callback`, "as the form said before");
  await page.keyboard.press("Shift+R");
  await page.getByText("POST /api/admin/auth/providers").first().waitFor();
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  assert.ok(!(kept + (await page.content())).includes("kept-to-itself"), "the secret is still somewhere");
  await page.keyboard.press("Escape");
  await assertAtPeace(seen);

  // The server refuses an id that is taken, and the field says so.
  await uncovered(page);
  await page.keyboard.press("n");
  await write(page, form.getByLabel(/^Label/), name);
  await write(page, form.getByLabel(/^Client id/), "flags");
  await write(page, form.getByLabel(/^Client secret/), "kept-to-itself");
  await write(page, address, provider.issuer);
  await page.keyboard.press("Enter");
  await form.getByText(`There is a login provider with the id "${name}" already.`).waitFor();
  assert.equal(await form.getByLabel(/^Id/).getAttribute("aria-invalid"), "true");

  assert.equal((await comeInThrough(name)).email, `${name}@example.com`);
});

test("a provider is changed over what others changed meanwhile, and its secret stays hidden and kept", async () => {
  await providerNamed(name, "https://id.example.com");
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/settings/sign-in/providers");
  await press(page, page.getByRole("button", { name, exact: true }));
  const drawer = page.getByRole("dialog", { name: "Login provider", exact: true });
  await drawer.getByText(`${server}/auth/providers/${name}/callback`, { exact: true }).waitFor();
  assert.equal(await drawer.getByLabel(/^Client secret/).inputValue(), "********");
  await assertAccessible(page, "a login provider");

  // A secret goes to no other server because of its mask.
  const address = drawer.getByLabel(/^Discovery URL/);
  await reach(page, address);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("https://elsewhere.example.com");
  await page.keyboard.press("Enter");
  const asking = page.getByRole("dialog", { name: "What saving changes" });
  await asking.getByText("https://elsewhere.example.com").first().waitFor();
  await press(page, asking.getByRole("button", { name: "Save", exact: true }));
  await drawer.getByText("give the secret again").waitFor();
  assert.equal(await drawer.getByLabel(/^Client secret/).getAttribute("aria-invalid"), "true");
  await reach(page, address);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("https://id.example.com");

  const label = drawer.getByLabel(/^Label/);
  await reach(page, label);
  await page.keyboard.press("End");
  await page.keyboard.type(" of all");
  const { icon, settings } = await stored(name);
  await put(`/auth/providers/${name}`, {
    label: name,
    icon,
    enabled: true,
    settings,
    rules: { emailDomains: ["example.com"] },
  });
  await reach(page, label);
  await page.keyboard.press("Enter");
  await asking.getByText("Somebody changed these settings meanwhile").waitFor();
  await press(page, asking.getByRole("button", { name: "Save", exact: true }));
  await eventually(
    () => stored(name),
    ({ label: of, rules }) => of === `${name} of all` && rules.emailDomains?.[0] === "example.com",
  );
  const { events } = await ask(`${api}/search/events?type=IS%3Asetting-updated&limit=1`);
  assert.equal(events[0].data.label, `${name} of all`);
  assert.equal(events[0].data.changedSettings, undefined, "the stored secret is the one before");
  await assertAtPeace(seen);
});

/** A trial of what the form holds, from the button to what came of signing in at the provider in a tab of its own. */
async function tryOut({ page, context }, form, outcome) {
  await press(page, form.getByRole("button", { name: "Try it out" }));
  const link = form.getByRole("link", { name: "Sign in at the provider" });
  await link.waitFor();
  const [tab] = await Promise.all([context.waitForEvent("page"), press(page, link)]);
  await form.getByRole("status").getByText(outcome).waitFor();
  await tab.close();
}

test("a provider is tried by the keyboard alone before it is created or changed, and nothing is saved by it", async (t) => {
  const provider = await loginProvider(`${name}@example.com`);
  t.after(() => provider.close());
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/settings/sign-in/providers?new=true");
  const form = page.getByRole("dialog", { name: "New login provider" });
  const tryIt = form.getByRole("button", { name: "Try it out" });
  await tryIt.waitFor();
  assert.equal(await tryIt.getAttribute("aria-disabled"), "true", "there is nothing to try yet");
  await write(page, form.getByLabel(/^Label/), name);
  await write(page, form.getByLabel(/^Client id/), "flags");
  await write(page, form.getByLabel(/^Client secret/), "kept-to-itself");

  // What is refused stands at its field, as when it is saved.
  const address = form.getByLabel(/^Discovery URL/);
  await write(page, address, "http://elsewhere.example");
  await press(page, tryIt);
  await form.getByText("Must be an absolute https address").waitFor();
  assert.equal(await address.getAttribute("aria-invalid"), "true");
  assert.equal(await form.getByRole("alert").count(), 0, "it is said once");

  await reach(page, address);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(provider.issuer);
  await tryOut(seen, form, "They would stay out");
  const looked = form.getByRole("list", { name: "What was looked at" });
  await looked.getByText(`Discovery URL: The issuer is ${provider.issuer}.`).waitFor();
  await reach(page, form.getByRole("switch", { name: /^People who were never here/ }));
  await page.keyboard.press("Space");
  await form.getByText("You changed the form since").waitFor();
  await tryOut(seen, form, "They would come in");
  await form.getByRole("status").getByText("would become a user").waitFor();
  assert.equal(await form.getByText("You changed the form since").count(), 0);
  await assertAccessible(page, "a trial of a login provider that is not there yet");
  assert.deepEqual(await providers(), [], "a trial creates no provider");
  const { users } = await ask(`${api}/user-admin`);
  assert.ok(!users.some(({ email }) => email === `${name}@example.com`), "a trial creates nobody");

  await press(page, form.getByRole("button", { name: `Create ${name}` }));
  await uncovered(page);
  const before = await stored(name);
  assert.equal(before.settings.discoverUrl, provider.issuer);

  // One that exists is tried with what was changed; its secret stays hidden, and is used.
  await press(page, page.getByRole("button", { name, exact: true }));
  const drawer = page.getByRole("dialog", { name: "Login provider", exact: true });
  await drawer.getByText(`${server}/auth/providers/${name}/backchannel-logout`, { exact: true }).waitFor();
  await write(page, drawer.getByLabel("Claim with the display name"), "nickname");
  await tryOut(seen, drawer, "They would come in");
  await assertAccessible(page, "a trial of a changed login provider");
  assert.deepEqual(await stored(name), before, "a trial changes nothing");
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  assert.ok(!(kept + (await page.content())).includes("kept-to-itself"), "the secret is still somewhere");
  await assertAtPeace({ ...seen, asked: seen.asked.filter((url) => !url.startsWith(`${provider.issuer}/`)) });
});

test("providers change places, are switched off and are deleted, by the keyboard", async () => {
  const [first, second] = [`${name}-a`, `${name}-b`];
  for (const id of [first, second]) await providerNamed(id, "https://id.example.com");
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/settings/sign-in/providers");
  await assertAccessible(page, "two login providers");
  const move = (label, where) => page.getByRole("button", { name: `Move ${label} ${where}` });
  await press(page, move(first, "down"));
  await eventually(labels, ([one]) => one === second);
  await page.waitForFunction(
    (text) => document.activeElement?.textContent?.includes(text) && document.activeElement.ariaDisabled === "true",
    `Move ${first} down`,
  );
  await takeBack(page, labels, ([one]) => one === second);
  await eventually(labels, ([one]) => one === first);
  await press(page, move(second, "up"));
  await eventually(labels, ([one]) => one === second);

  const stranger = await visitor();
  await stranger.page.goto(`${server}/console/sign-in`);
  const buttons = stranger.page.getByRole("link").filter({ hasText: name });
  await buttons.first().waitFor();
  assert.deepEqual(await buttons.allInnerTexts(), [second, first]);
  await assertAccessible(stranger.page, "the page to sign in, with two providers");

  await reach(page, page.getByRole("switch", { name: `${first} is in use` }));
  await page.keyboard.press("Space");
  const switching = page.getByRole("dialog", { name: `Switch ${first} off` });
  await switching.getByText("Whoever came in through it is signed out.").waitFor();
  assert.equal((await stored(first)).enabled, true, "nothing happens before it is confirmed");
  await press(page, switching.getByRole("button", { name: "Switch it off" }));
  await eventually(
    () => stored(first),
    ({ enabled }) => !enabled,
  );
  await stranger.page.reload();
  await stranger.page.getByRole("link", { name: second }).waitFor();
  assert.equal(await stranger.page.getByRole("link", { name: first }).count(), 0);

  await uncovered(page);
  await press(page, page.getByRole("button", { name: `Delete … ${second}` }));
  const deleting = page.getByRole("dialog", { name: `Delete the login provider ${second}` });
  await deleting.getByText("they come in again once a provider with the same id and issuer is created").waitFor();
  await reach(page, deleting.getByLabel(/^Type /));
  await page.keyboard.type("another-name");
  await page.keyboard.press("Enter");
  assert.equal((await providers()).length, 2, "nothing is deleted before its name is typed");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(second);
  await page.keyboard.press("Enter");
  await eventually(labels, (left) => left.length === 1 && left[0] === first);
  await assertAtPeace(seen);
});

test("a role by claim and required groups are asked for on a phone, within the screen", async () => {
  const seen = await visitor({ as: admin, size: narrow });
  const { page, open } = seen;
  await open("/settings/sign-in/providers?new=true");
  const form = page.getByRole("dialog", { name: "New login provider" });
  await form.getByRole("radio", { name: "Keycloak" }).check();
  await form.getByLabel(/^Label/).fill(name);
  for (const [label, value] of [
    [/^Client id/, "flags"],
    [/^Client secret/, "kept-to-itself"],
    [/^Server URL/, "https://id.example.com"],
    [/^Realm/, "company"],
  ])
    await form.getByLabel(label).fill(value);
  await form.getByRole("switch", { name: /^People without an account request access/ }).waitFor();
  await form.getByRole("switch", { name: /^People who were never here/ }).press("Space");
  assert.equal(
    await form.getByRole("switch", { name: /^People without an account/ }).count(),
    0,
    "nobody is left to ask",
  );
  await form.getByRole("button", { name: "Add a role by claim" }).click();
  const role = form.getByRole("group", { name: "Role by claim 1" });
  await page.waitForFunction(() => document.activeElement?.closest("fieldset")?.innerText.includes("Role by claim 1"));
  await page.keyboard.type("realm.groups");
  await role.getByLabel("Value").fill("administrators");
  await choose(page, role.getByRole("combobox", { name: "Role" }), "Editor");
  await form.getByLabel("Only members of one of these groups").fill("cn=staff,ou=groups");
  await page.keyboard.press("Enter");
  await form.getByRole("switch", { name: "An email links somebody new to the user who has it" }).press("Space");
  await form.getByRole("note").getByText("administrators among them").waitFor();
  await assertAccessible(page, "a new login provider on a phone");
  await assertWithin(form);
  await form.getByRole("button", { name: `Create ${name}` }).click();
  await uncovered(page);
  const { kind, rules } = await stored(name);
  assert.equal(kind, "keycloak");
  assert.deepEqual(rules, {
    autoCreate: true,
    linkByEmail: true,
    requiredGroups: ["cn=staff,ou=groups"],
    rootRoles: [{ claim: "realm.groups", value: "administrators", roleId: 2 }],
  });
  await assertAtPeace(seen);
});

const linkButton = (page) => page.getByRole("button", { name: `Link ${name} …` });
const linkForm = (page) => page.getByRole("dialog", { name: `Link ${name}` });

test("somebody links an identity of their own by their password, and comes in by it as themselves", async (t) => {
  const provider = await loginProvider(`${name}@elsewhere.example`);
  t.after(() => provider.close());
  await providerNamed(name, provider.issuer);
  await userNamed(name);
  const { page, open } = await visitor({ as: { username: name, password } });
  await open("/me/security");
  await press(page, linkButton(page));
  const form = linkForm(page);
  await write(page, form.getByLabel(/^Current password/), "not-mine");
  await page.keyboard.press("Enter");
  await form.getByText("This is not your password.").waitFor();
  await assertAccessible(page, "a link of an identity");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: `Remove ${name}@elsewhere.example of ${name}` }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/console/me/security");
  await assertAccessible(page, "a linked identity");
  assert.equal((await comeInThrough(name)).username, name);
});

test("somebody with a second factor proves it, too, before an identity is linked", async (t) => {
  const provider = await loginProvider(`${name}@elsewhere.example`);
  t.after(() => provider.close());
  await providerNamed(name, provider.issuer);
  const { id } = await userNamed(name);
  const { page, open } = await visitor({ as: { username: name, password } });
  await open("/me/security");
  const tell = (path, body) =>
    page.evaluate(
      async ([address, data]) => {
        const headers = { "content-type": "application/json" };
        return (await fetch(address, { method: "POST", headers, body: JSON.stringify(data) })).json();
      },
      [`${api}/user/second-factor/${path}`, body],
    );
  const app = authenticator((await tell("totp", { password })).secret);
  await tell("totp/confirm", { code: app() });

  await open("/me/security");
  await press(page, linkButton(page));
  const form = linkForm(page);
  await write(page, form.getByLabel(/^Current password/), password);
  const code = form.getByLabel(/^Code of your authenticator app/);
  await write(page, code, "000000");
  await page.keyboard.press("Enter");
  await form.getByText("The code is wrong, too old, or was used before").waitFor();
  assert.equal(await code.getAttribute("aria-invalid"), "true");
  assert.deepEqual((await ask(`${api}/user-admin/${id}/identities`)).identities, []);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(app());
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: `Remove ${name}@elsewhere.example of ${name}` }).waitFor();
  const { identities } = await ask(`${api}/user-admin/${id}/identities`);
  assert.deepEqual(
    identities.map(({ providerId, subject }) => [providerId, subject]),
    [[name, `${name}@elsewhere.example`]],
  );
});

test("an administrator links an identity by its subject, once", async (t) => {
  const provider = await loginProvider(`${name}@elsewhere.example`);
  t.after(() => provider.close());
  await providerNamed(name, provider.issuer);
  const [one, other] = [await userNamed(name), await userNamed(`${name}-other`)];
  const seen = await visitor({ as: admin, size: narrow });
  const { page, open } = seen;

  async function link(user) {
    await open(`/people/users?user=${user.id}`);
    await press(page, page.getByRole("button", { name: "Link an identity …", disabled: false }));
    const form = page.getByRole("dialog", { name: "Link an identity" });
    await write(page, form.getByLabel(/^Subject/), `${name}@elsewhere.example`);
    await assertAccessible(page, "an identity that is linked by an administrator");
    await page.keyboard.press("Enter");
    return form;
  }

  await link(one);
  await page.getByRole("button", { name: `Remove … ${name}@elsewhere.example` }).waitFor();
  assert.equal((await comeInThrough(name)).username, name);
  const refused = await link(other);
  await refused.getByRole("alert").getByText("This identity belongs to another account").waitFor();
  assert.deepEqual((await ask(`${api}/user-admin/${other.id}/identities`)).identities, []);
  await assertAtPeace(seen);
});

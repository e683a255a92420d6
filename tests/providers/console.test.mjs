// The unchanged console of the reference in front of the server, in Chromium: an administrator sets both providers up in
// its forms, people sign in by its buttons, and passwords are switched off. Server and providers are different sites to the
// browser. Only to a server of the reference's paid edition do its forms show what is stored and offer roles.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, keep } from "../browser/chromium.mjs";
import { oidcProvider } from "./oidc-provider.mjs";
import { freeAddress, repository } from "./place.mjs";
import { registration } from "./registration.mjs";
import { samlProvider } from "./samlp.mjs";
import { password, server } from "./server.mjs";

const { port } = await freeAddress();
const base = `http://127.0.0.1:${port}`;
const oidc = await oidcProvider(registration(base, "oidc"));
const saml = await samlProvider(registration(base, "saml"));
const operated = await server({ base });
const buttons = { oidc: "Sign in with OpenID Connect", saml: "Sign in with SAML 2.0" };
let script;

before(async () => {
  await Promise.all([oidc.start(), saml.start(), operated.start()]);
  const policy = await operated.ask("/api/admin/auth/policy");
  await operated.ask("/api/admin/auth/policy", { method: "PUT", body: { ...policy, ...saml.policy } });
  const options = [join(repository, "docs/console.mjs"), process.env.CONSOLE, operated.address, `${port}`];
  script = spawn(process.execPath, options);
  await once(script.stdout, "data");
});
after(async () => {
  script.kill();
  await Promise.all([oidc.stop(), saml.stop(), operated.stop()]);
});

// A browser of somebody's own, at a page of the console.
async function open(path) {
  const context = await browser.newContext({ viewport: { width: 1500, height: 1600 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const isOurs = ({ hostname }) => ["127.0.0.1", "localhost"].includes(hostname);
  // Fonts and pictures of people, from elsewhere.
  await context.route((url) => !isOurs(url), (route) => route.fulfill({ status: 200, body: "" }));
  await page.goto(base + path);
  return page;
}

const inConsole = (page) => page.waitForURL((url) => url.origin === base && !/^\/(login|auth)/.test(url.pathname));

async function signInByPassword() {
  const page = await open("/login");
  await page.locator("[name=username]").fill("admin");
  await page.locator("[name=password]").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await inConsole(page);
  return page;
}

async function signInBy(protocol) {
  const page = await open("/login");
  await page.getByText(buttons[protocol]).click();
  await page.locator("[name=login]").fill("ada");
  await page.keyboard.press("Enter");
  return page;
}

// Opens a form of the settings, has it filled in, and saves it; gives what the console sent.
async function save(page, tab, path, fill, sure) {
  await page.goto(`${base}/admin/auth`);
  await page.getByRole("tab", { name: tab }).click();
  await page.locator("form input[type=checkbox]").first().waitFor({ state: "attached" });
  await fill();
  const answered = page.waitForResponse((answer) => answer.request().method() === "POST" && answer.url().endsWith(path));
  await page.getByRole("button", { name: "Save" }).click();
  if (sure) await page.getByRole("dialog").getByRole("button", { name: sure }).click();
  const answer = await answered;
  assert.equal(answer.status(), 200);
  await keep(page, `settings-${tab.replace(/\W+/g, "-")}`);
  return answer.request().postDataJSON();
}

async function fillProvider(page, settings) {
  await page.locator("[name=enabled]").first().check({ force: true });
  for (const [name, value] of Object.entries(settings)) {
    const field = page.locator(`[name=${name}]`);
    await (value === true ? field.check({ force: true }) : field.fill(value));
  }
}

const stored = (protocol) => operated.ask(`/api/admin/auth/${protocol}/settings`);

test("the forms of the console set both providers up", async () => {
  const page = await signInByPassword();
  const { addGroupsScope, ...ofOidc } = oidc.settings();
  await save(page, "OpenID Connect", "/auth/oidc/settings", async () => {
    await fillProvider(page, ofOidc);
    for (const text of ["of no use", ""]) await page.locator("[name=acrValues]").fill(text);
  });
  const { acrValues, enabled, ...kept } = await stored("oidc");
  assert.deepEqual([acrValues, enabled], [undefined, true]);
  for (const [name, value] of Object.entries(ofOidc)) assert.equal(kept[name], value, name);
  const ofSaml = saml.settings();
  await save(page, "SAML 2.0", "/auth/saml/settings", () => fillProvider(page, ofSaml));
  const storedSaml = await stored("saml");
  for (const [name, value] of Object.entries(ofSaml)) assert.equal(storedSaml[name].trim(), value.trim(), name);
  await page.context().close();
  // For this the forms insist on a role, and offer none.
  for (const protocol of ["oidc", "saml"]) {
    const body = { ...(await stored(protocol)), autoCreate: true, defaultRootRole: "Admin" };
    await operated.ask(`/api/admin/auth/${protocol}/settings`, { method: "POST", body });
  }
});

for (const provider of [oidc, saml]) {
  test(`the console's button signs somebody in through ${provider.name}, and its menu out`, async () => {
    const page = await signInBy(provider.protocol);
    await inConsole(page);
    await page.goto(`${base}/profile`);
    await page.getByText(provider.person.email).first().waitFor();
    await keep(page, `profile-${provider.name}`);
    await page.getByTestId("HEADER_USER_AVATAR").click();
    await page.getByRole("button", { name: "Log out" }).click();
    const agree = page.getByRole("button", { name: "Yes, sign me out" });
    if (provider.signOut) await agree.click();
    await page.getByText(buttons[provider.protocol]).waitFor();
    assert.ok(page.url().startsWith(`${base}/login`), page.url());
    assert.equal((await page.context().request.get(`${base}/api/admin/user`)).status(), 401);
    await page.context().close();
  });
}

test("the console switches passwords off", async () => {
  const page = await signInBy("oidc");
  await inConsole(page);
  const flip = async () => {
    await page.locator("form input[type=checkbox]").click({ force: true });
    await page.getByText("Disabled", { exact: true }).waitFor();
  };
  const off = await save(page, "Password", "/auth/simple/settings", flip, /^Disable/);
  assert.equal(off.disabled, true);
  const stranger = await open("/login");
  await stranger.getByText(buttons.saml).waitFor();
  assert.equal(await stranger.locator("[name=password]").count(), 0);
  await keep(stranger, "login-without-passwords");
  await stranger.context().close();
  // The console does not read the setting back, and so cannot undo it.
  const on = await page.context().request.post(`${base}/api/admin/auth/simple/settings`, { data: { disabled: false } });
  assert.equal(on.status(), 200);
  await (await signInByPassword()).context().close();
  await page.context().close();
});

test("somebody who is refused is shown an id, by which the log tells the reason", async () => {
  await operated.ask("/api/admin/auth/oidc/settings", {
    method: "POST",
    body: { ...(await stored("oidc")), autoCreate: false },
  });
  oidc.person.email = "bob@oidc-provider.example";
  const page = await open("/login");
  await page.getByText(buttons.oidc).click();
  await page.locator("[name=login]").fill("bob");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "You are not signed in" }).waitFor();
  const shown = await page.locator("body").innerText();
  assert.doesNotMatch(shown, /bob|invite|not-invited/);
  await keep(page, "refused");
  await page.getByRole("link", { name: "Use a password" }).click();
  await page.getByText(buttons.oidc).waitFor();
  await page.context().close();
  const [id] = shown.match(/[0-9a-f-]{36}/);
  const { signIns } = await operated.ask(`/api/admin/auth/sign-ins?errorId=${id}`);
  const told = signIns.map(({ reason, subject }) => [reason, subject]);
  assert.deepEqual(told, [["not-invited", "bob@oidc-provider.example"]]);
});

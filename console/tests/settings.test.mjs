// What administrators set, build and look after, from the first click to what the server then says.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, beforeEach, test } from "node:test";
import { api, freshName, post, put, typeAndDelete, userNamed } from "./administration.mjs";
import { admin, ask, eventually, server, takeBack, uncovered, visitor } from "./chromium.mjs";
import { loginProvider } from "./provider.mjs";
import { samlProvider } from "./saml-provider.mjs";

let name;

beforeEach(() => {
  name = freshName();
});
after(() => ask(`${api}/auth/oidc/settings`, { method: "POST", body: { enabled: false } }));

test("settings of OpenID Connect: tried, refused, right, and saved without showing a secret", async (t) => {
  const provider = await loginProvider(`${name}@example.com`);
  t.after(() => provider.close());
  const seen = await visitor({ as: admin });
  const { page, open, context } = seen;
  await open("/settings/sign-in/oidc");
  await page.getByRole("switch", { name: "People can sign in this way" }).click();
  const save = page.getByRole("button", { name: "Save …" });
  assert.equal(await save.getAttribute("aria-disabled"), "true", "it needs a client id and a secret");
  await page.getByLabel("Client id").fill("flags");
  await page.getByLabel(/^Client secret/).fill("kept-to-itself");
  await page.getByLabel("Discovery URL").fill("http://elsewhere.example");
  await save.click();
  const asking = page.getByRole("dialog", { name: "What saving changes" });
  await asking.getByText("Client secret").waitFor();
  assert.ok(!(await asking.innerText()).includes("kept-to-itself"));
  await asking.getByRole("button", { name: "Save", exact: true }).click();
  const address = page.getByLabel("Discovery URL");
  await page
    .getByText(/must be an absolute https address/)
    .first()
    .waitFor();
  assert.equal(await address.getAttribute("aria-invalid"), "true");

  await address.fill(provider.issuer);
  await page.getByRole("switch", { name: "People who were never here" }).click();
  await page.getByRole("button", { name: "Try it out" }).click();
  const [tab] = await Promise.all([
    context.waitForEvent("page"),
    page.getByRole("link", { name: "Sign in at the provider" }).click(),
  ]);
  await tab.waitForLoadState();
  await page.getByRole("status").getByText("They would come in").waitFor();
  await page.getByRole("status").getByText("would become a user").waitFor();
  assert.deepEqual(await ask(`${api}/auth/oidc/settings`), { enabled: false }, "a trial saves nothing");

  await post("/auth/oidc/settings", { enabled: false, acrValues: "theirs" });
  await save.click();
  await asking.getByText("Somebody changed these settings meanwhile").waitFor();
  await asking.getByRole("button", { name: "Save", exact: true }).click();
  await eventually(
    () => ask(`${api}/auth/oidc/settings`),
    ({ enabled, secret, acrValues }) => enabled && secret === "kept-to-itself" && acrValues === "theirs",
  );
  await uncovered(page);
  await page.keyboard.press("Shift+R");
  await page.getByText("POST /api/admin/auth/oidc/settings").first().click();
  assert.ok(!(await page.getByRole("dialog").innerText()).includes("kept-to-itself"));
  await tab.close();

  const stranger = await visitor();
  await stranger.page.goto(`${server}/console/sign-in`);
  await stranger.page.getByRole("link", { name: /OpenID Connect/ }).waitFor();
  assert.deepEqual(await page.evaluate(() => window.violations), []);
});

test("fills the form of SAML from the provider's metadata", async () => {
  const metadata = new URL("../../tests/saml/fixtures/simplesamlphp/metadata.xml", import.meta.url);
  const { page, open } = await visitor({ as: admin });
  await open("/settings/sign-in/saml");
  await page.getByText("Fill it from the provider’s metadata").click();
  await page.getByLabel("Or the text").fill(await readFile(metadata, "utf8"));
  await page.getByRole("button", { name: "Read the metadata" }).click();
  await page.getByText("The form is filled").waitFor();
  assert.match(await page.getByLabel("Certificate").inputValue(), /BEGIN CERTIFICATE/);
  assert.match(await page.getByLabel("Single sign-on URL").inputValue(), /^https?:/);
  assert.deepEqual(await ask(`${api}/auth/saml/settings`), { enabled: false }, "nothing is saved by reading");
});

test("settings of SAML are tried from the first click to who one would be, wrong and right, and nothing is saved", async (t) => {
  const provider = await samlProvider(`${name}@example.com`);
  t.after(() => provider.close());
  const seen = await visitor({ as: admin });
  const { page, open, context } = seen;
  await open("/settings/sign-in/saml");
  await page.getByRole("switch", { name: "People can sign in this way" }).click();
  await page.getByLabel("Entity id of the provider").fill(provider.entityId);
  await page.getByLabel("Single sign-on URL").fill(provider.signOnUrl);
  const other = new URL("../../tests/saml/keys/other.crt", import.meta.url);
  await page.getByLabel("Certificate").fill(await readFile(other, "utf8"));
  async function trial(outcome) {
    await page.getByRole("button", { name: "Try it out" }).click();
    const [tab] = await Promise.all([
      context.waitForEvent("page"),
      page.getByRole("link", { name: "Sign in at the provider" }).click(),
    ]);
    await page.getByRole("status").getByText(outcome).waitFor();
    await tab.close();
  }
  await trial("They would stay out");

  await page.getByLabel("Certificate").fill(provider.certificate);
  await page.getByRole("switch", { name: "People who were never here" }).click();
  await trial("They would come in");
  await page.getByRole("status").getByText(`${name}@example.com`).first().waitFor();
  await page.getByRole("status").getByText("would become a user").waitFor();
  assert.deepEqual(await ask(`${api}/auth/saml/settings`), { enabled: false }, "a trial saves nothing");
  assert.deepEqual(await page.evaluate(() => window.violations), []);
});

test("the policy names the claim with the email, and takes it back", async () => {
  const policy = () => ask(`${api}/auth/policy`);
  const { page, open } = await visitor({ as: admin });
  await open("/settings/sign-in/policy");
  for (const label of [
    "OpenID Connect claim with the display name",
    "Name of the email in SAML assertions",
    "Name of the display name in SAML assertions",
  ])
    await page.getByLabel(label).waitFor();
  await page.getByLabel("OpenID Connect claim with the email").fill(" profile.mail ");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await takeBack(page, policy, ({ oidcEmailClaim }) => oidcEmailClaim === "profile.mail");
  await eventually(policy, ({ oidcEmailClaim }) => oidcEmailClaim === undefined);
});

test("two administrators change the policy of login providers: what only one changed is kept", async (t) => {
  const policy = () => ask(`${api}/auth/policy`);
  const before = await policy();
  t.after(() => put("/auth/policy", before));
  const { page, open } = await visitor({ as: admin });
  await open("/settings/sign-in/policy");
  await page.getByLabel("Seconds that the clock of a provider may be off").fill("90");
  const theirs = { ...before, clockSkewSeconds: 30, samlSignRequests: !before.samlSignRequests };
  await put("/auth/policy", theirs);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const conflict = page.getByRole("dialog", { name: "Somebody changed it while you were editing" });
  await conflict.getByRole("row", { name: /clockSkewSeconds.*30.*90/ }).waitFor();
  await conflict.getByText(/The last change is by/).waitFor();
  await conflict.getByRole("button", { name: "Put mine on top" }).click();
  await eventually(policy, ({ clockSkewSeconds }) => clockSkewSeconds === 90);
  assert.deepEqual(await policy(), { ...theirs, clockSkewSeconds: 90 });
});

test("a password administrator cannot switch passwords off, and learns why in the log of sign-ins", async () => {
  const { page, open } = await visitor({ as: admin });
  await open("/settings/sign-in/password");
  await page.getByRole("button", { name: "Switch passwords off …" }).click();
  const asking = page.getByRole("dialog", { name: "Switch passwords off" });
  await asking.getByLabel(/^Type passwords/).fill("passwords");
  await asking.getByRole("button", { name: "Switch them off" }).click();
  await page.getByRole("alert").getByText("This is not possible as things are").waitFor();
  assert.equal((await ask(`${api}/auth/simple/settings`)).disabled, false);
  await open("/settings/sign-in/log");
  await page.getByRole("cell", { name: "signed in" }).first().waitFor();
});

test("a segment that is used names its users, and is kept", async () => {
  const feature = `${name}-feature`;
  const { id } = await post("/segments", { name, constraints: [] });
  await post("/projects/webshop/features", { name: feature });
  const strategies = `/projects/webshop/features/${feature}/environments/development/strategies`;
  const strategy = await post(strategies, { name: "default", segments: [id] });
  const { page, open } = await visitor({ as: admin });
  await open(`/build/segments?open=${id}`);
  const drawer = page.getByRole("dialog", { name: "Segment" });
  await drawer.getByRole("link", { name: feature }).waitFor();
  const remove = drawer.getByRole("button", { name: "Delete …" });
  assert.equal(await remove.getAttribute("aria-disabled"), "true");
  await drawer.getByRole("button", { name: "Add constraint" }).click();
  await drawer.getByLabel("Values").fill("ada");
  await page.keyboard.press("Enter");
  await drawer.getByRole("button", { name: "Save", exact: true }).click();
  await eventually(
    () => ask(`${api}/segments/${id}`),
    ({ constraints }) => constraints.length === 1 && constraints[0].values[0] === "ada",
  );
  await ask(`${api}${strategies}/${strategy.id}`, { method: "DELETE" });
  await open(`/build/segments?open=${id}`);
  await page.getByRole("dialog").getByText("No flag that you may see").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete …" }).click();
  await typeAndDelete(page, name);
  await eventually(
    () => ask(`${api}/segments`),
    ({ segments }) => !segments.some((segment) => segment.id === id),
  );
});

test("makes a context field with values, a tag and a strategy type, by keys", async () => {
  const { page, open } = await visitor({ as: admin });
  await open("/build/context");
  await page.keyboard.press("n");
  await page.waitForFunction(() => document.activeElement?.matches("[role=dialog] input"));
  await page.keyboard.type(name);
  await page.getByRole("button", { name: "Add a value" }).click();
  await page.getByRole("textbox", { name: "Value 1" }).fill("gold");
  await page.getByRole("button", { name: `Create ${name}` }).click();
  await eventually(
    () => ask(`${api}/context`),
    (fields) => fields.find((field) => field.name === name)?.legalValues?.[0].value === "gold",
  );
  await open("/build/strategies");
  await page.keyboard.press("n");
  await page.waitForFunction(() => document.activeElement?.matches("[role=dialog] input"));
  await page.keyboard.type(name);
  await page.getByRole("button", { name: "Add a parameter" }).click();
  await page.getByRole("group", { name: "Parameter 1" }).getByLabel("Name").fill("share");
  await page.getByRole("button", { name: `Create ${name}` }).click();
  await eventually(
    () => ask(`${api}/strategies`),
    ({ strategies }) => strategies.find((type) => type.name === name)?.parameters[0].name === "share",
  );
  await open("/build/tags?new=true");
  await page.getByRole("textbox", { name: "Tag", exact: true }).fill(name);
  await page.getByRole("button", { name: `Create ${name}` }).click();
  await eventually(
    () => ask(`${api}/tags`),
    ({ tags }) => tags.some(({ value }) => value === name),
  );
});

test("moves an environment, and asks before one of production is taken out of use", async () => {
  await post("/environments", { name: `${name}-a`, type: "test" });
  await post("/environments", { name: `${name}-b`, type: "production" });
  const { page, open } = await visitor({ as: admin });
  const order = async () => (await ask(`${api}/environments`)).environments.map((one) => one.name).slice(-2);
  await open("/build/environments");
  await page.getByRole("button", { name: `Move ${name}-b up` }).click();
  await takeBack(page, order, ([one]) => one === `${name}-b`);
  await eventually(order, ([one]) => one === `${name}-a`);
  await page.getByRole("switch", { name: `${name}-b is in use` }).press("Space");
  const used = async () => (await ask(`${api}/environments/${name}-b`)).enabled;
  const asking = page.getByRole("dialog", { name: `Take ${name}-b out of use` });
  await asking.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await used(), true);
  await page.getByRole("switch", { name: `${name}-b is in use` }).press("Space");
  await asking.getByRole("button", { name: `Take ${name}-b out of use` }).click();
  await eventually(used, (enabled) => !enabled);
});

test("a personal token lets a script in, and another password ends it", async () => {
  const person = { username: name, password: "Tests-Person-1" };
  await userNamed(name);
  const { page, open } = await visitor({ as: person });
  await open("/me/tokens?new=true");
  await page.getByLabel("What it is for").fill("scripts");
  await page.getByRole("button", { name: "Create the token" }).click();
  const secret = (await page.getByRole("region", { name: "The secret" }).innerText()).trim();
  await page.getByRole("button", { name: "I have kept it" }).click();
  const call = () => fetch(`${server}/api/admin/user`, { headers: { authorization: secret } });
  assert.equal((await (await call()).json()).user.username, name);
  await open("/me/password");
  await page.getByLabel("Current password", { exact: true }).fill(person.password);
  await page.getByLabel("New password", { exact: true }).fill("Another-Pass-2");
  await page.getByLabel("New password again", { exact: true }).fill("Another-Pass-2");
  await page.getByRole("button", { name: "Change the password" }).click();
  await page.getByText("You have another password now").waitFor();
  assert.equal((await call()).status, 401);
});

test("maintenance is told on every page, and ends from here", async () => {
  const { page, open } = await visitor({ as: admin });
  await open("/settings/instance");
  await page.getByRole("button", { name: "Begin maintenance …" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Begin maintenance" }).click();
  await page.getByText("Under maintenance: nobody can change anything until").waitFor();
  await open("/projects");
  await page.getByText("Under maintenance: nobody can change anything until").waitFor();
  await open("/settings/instance");
  await page.getByRole("button", { name: "End maintenance" }).click();
  await eventually(
    () => ask(`${api}/maintenance`),
    ({ enabled }) => !enabled,
  );
});

test("a page that could not be loaded comes by itself once the server is back", async () => {
  const { page, open, context } = await visitor({ as: admin });
  await open("/people/groups");
  await context.route("**/api/**", (route) => route.abort());
  await page.getByRole("link", { name: "Invites" }).click();
  await page.getByRole("alert").getByText("The server does not answer").first().waitFor();
  await context.unroute("**/api/**");
  await page.getByRole("alert").first().waitFor({ state: "hidden" });
  await page.getByText("Whoever has such a link becomes a user").waitFor();
});

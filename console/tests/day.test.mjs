// A day in it: what the people of a company do, one after the other. Leaves the pictures of docs/console.md.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import { choose, post, userNamed } from "./administration.mjs";
import { admin, ask, assertAtPeace, eventually, server } from "./chromium.mjs";
import { picture, pictured } from "./guide.mjs";

// A name that is good to look at: this runs once on a server.
const id = "web-shop";
const project = `/api/admin/projects/${id}`;
const feature = `${id}-checkout`;
const password = "Tests-Person-1";

before(() => post("/projects", { id, name: "Web shop" }));

const person = async (called, rootRole) => {
  const username = `${id}-${called}`;
  const { id: userId } = await userNamed(username, { name: called, rootRole });
  return { userId, username, password };
};

const pageOf = (name) => `/projects/${id}/features/${name}`;
const inProduction = (name) => ask(`${project}/features/${name}/environments/production`);

test("a new user signs in, makes a first flag, and connects an application", async () => {
  const grace = await person("Grace", 2);
  await post(`/projects/${id}/access`, { roles: [4], groups: [], users: [grace.userId] });
  const seen = await pictured();
  const { page } = seen;
  await page.goto(`${server}/console/`);
  await page.getByLabel("User name or email").fill(grace.username);
  await page.locator("input[type=password]").fill(password);
  await picture(page, "sign-in");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("You created none yet").waitFor();
  await page.goto(`${server}/console/projects/${id}/features`);
  await page.getByRole("button", { name: "Create the first one" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel(/^Name/).fill(feature);
  await form.getByText("✓").waitFor();
  await form.getByRole("button", { name: /^Create / }).click();
  await page.getByRole("heading", { name: feature }).waitFor();

  await page.goto(`${server}/console/setup?project=${id}&feature=${feature}&environment=development&language=node`);
  await page.getByLabel(/^Name of the token/).fill(`${id}-laptop`);
  await page.getByRole("button", { name: "Create a token" }).click();
  const secret = await page.getByRole("textbox", { name: /^The token/ }).innerText();
  await page.getByText("Waiting for an application").waitFor();
  const asked = await fetch(`${server}/api/client/features`, { headers: { authorization: secret } });
  assert.ok((await asked.json()).features.some(({ name }) => name === feature));
  await page.getByText("✓ Your application asked").waitFor();
  await page.getByText("✓ Your application asked").scrollIntoViewIfNeeded();
  await page.evaluate((secret) => {
    for (const node of document.querySelectorAll("main *"))
      for (const text of node.childNodes)
        if (text.nodeType === 3) text.data = text.data.replaceAll(secret, "web-shop:development.…");
  }, secret);
  await picture(page, "connect");
  await assertAtPeace(seen);
});

test("a product manager rolls out to a share of a segment, sees usage, and archives what is done with", async () => {
  const { id: segment } = await post("/segments", { name: `Beta testers ${id}`, constraints: [] });
  const seen = await pictured(admin);
  const { page, open } = seen;
  await open(`${pageOf(feature)}?env=production&strategy=new`);
  const form = page.getByRole("dialog");
  await form.getByLabel("Share of users", { exact: true }).fill("25");
  await choose(page, form.getByRole("combobox", { name: "Only in these segments" }), `Beta testers ${id}`);
  await page.keyboard.press("Escape");
  await form.getByText(/On for: .*25 %/).waitFor();
  await picture(page, "roll-out");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await page
    .getByRole("dialog", { name: "Add a strategy in production" })
    .getByRole("button", { name: "Add strategy" })
    .click();
  await eventually(
    () => inProduction(feature),
    ({ strategies }) => strategies[0]?.parameters.rollout === "25" && strategies[0].segments.join() === `${segment}`,
  );
  await page.getByRole("switch", { name: `${feature} in production` }).press("Space");
  const asking = page.getByRole("dialog", { name: "Switch on in production" });
  await asking.getByText(/25 %/).waitFor();
  await picture(page, "switch");
  await asking.getByRole("button", { name: "Switch on in production" }).click();
  await eventually(
    () => inProduction(feature),
    ({ enabled }) => enabled,
  );

  const toggles = { [feature]: { yes: 25, no: 75, variants: {} } };
  const bucket = { start: new Date(Date.now() - 60_000).toISOString(), stop: new Date().toISOString(), toggles };
  const told = await fetch(`${server}/api/client/metrics`, {
    method: "POST",
    headers: { authorization: process.env.FLAGSTONE_CLIENT_TOKEN, "content-type": "application/json" },
    body: JSON.stringify({ appName: "shop", instanceId: "one", bucket }),
  });
  assert.equal(told.status, 202);
  await eventually(
    () => ask(`/api/admin/client-metrics/features/${feature}/raw`),
    ({ data }) => data.some(({ yes }) => yes === 25),
  );
  await open(`${pageOf(feature)}/usage?env=development&split=application`);
  // In the table it stands also when the hour is over.
  await page.getByText("As a table").click();
  await page.getByRole("columnheader", { name: "shop", exact: true }).waitFor();

  const old = `${id}-old-banner`;
  await post(`/projects/${id}/features`, { name: old, type: "release" });
  await post(`/projects/${id}/stale`, { features: [old], stale: true });
  await open(`/projects/${id}/health`);
  const due = page.getByRole("row", { name: new RegExp(old) });
  await due.waitFor();
  await picture(page, "health");
  await due.getByRole("button", { name: "Archive" }).click();
  await eventually(
    () => ask(`/api/admin/archive/features/${id}`),
    ({ features }) => features.some(({ name }) => name === old),
  );
  await assertAtPeace(seen);
});

test("two people edit one strategy, and neither loses what they did", async () => {
  const [{ id: strategyId }] = (await inProduction(feature)).strategies;
  const one = await pictured(admin);
  const other = await pictured(admin);
  const form = async ({ page, open }) => {
    await open(`${pageOf(feature)}?env=production&strategy=${strategyId}`);
    return page.getByRole("dialog");
  };
  const [mine, theirs] = [await form(one), await form(other)];
  await theirs.getByLabel("Share of users", { exact: true }).fill("50");
  await theirs.getByRole("button", { name: "Save" }).click();
  await other.page.getByRole("button", { name: "Change strategy" }).click();
  await eventually(
    () => inProduction(feature),
    ({ strategies }) => strategies[0].parameters.rollout === "50",
  );
  await mine.getByLabel("Title").fill("Beta in spring");
  await mine.getByLabel("Share of users", { exact: true }).fill("30");
  await mine.getByRole("button", { name: "Save" }).click();
  await one.page.getByRole("button", { name: "Change strategy" }).click();
  const conflict = one.page.getByRole("dialog", { name: "Somebody changed it while you were editing" });
  await conflict.getByRole("row", { name: /rollout.*25.*50.*30/ }).waitFor();
  await picture(one.page, "conflict");
  await conflict.getByText("Theirs", { exact: true }).last().click();
  await conflict.getByRole("button", { name: "Put mine on top" }).click();
  await eventually(
    () => inProduction(feature),
    ({ strategies: [saved] }) => saved.title === "Beta in spring" && saved.parameters.rollout === "50",
  );
});

test("an auditor finds who switched production, and takes it along", async () => {
  const auditor = await person("Auditor", 3);
  const seen = await pictured(auditor);
  const { page, open } = seen;
  await open(`/history?project=IS:${id}&type=IS:feature-environment-enabled`);
  const row = page.getByRole("row", { name: new RegExp(`admin switched on ${feature} in .*production`) });
  await row.waitFor();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save as CSV" }).click(),
  ]);
  const [head, first] = (await readFile(await file.path(), "utf8")).split("\r\n");
  assert.equal(head, "when (UTC),who,what,type,project,feature,environment,reason,event");
  assert.match(first, /^\d{4}-.*Z,admin,.*,feature-environment-enabled,/);
  assert.ok(first.includes(`,${id},${feature},production,`), first);
  await open(`/history?project=IS:${id}`);
  await picture(page, "history");
  await assertAtPeace(seen);
});

test("an administrator creates a role, a token, and looks at who may do what", async () => {
  const lin = await person("Lin", 3);
  const seen = await pictured(admin);
  const { page, open } = seen;
  await open("/people/roles?new=true");
  const form = page.getByRole("dialog", { name: "New role" });
  await form.getByLabel("Name").fill(`Night shift ${id}`);
  await form.getByRole("checkbox", { name: "Switch feature flags on and off in production" }).check();
  await picture(page, "role");
  await form.getByRole("button", { name: `Create Night shift ${id}` }).click();
  const role = async () => (await ask("/api/admin/roles")).roles.find(({ name }) => name === `Night shift ${id}`);
  await eventually(role, (found) => found !== undefined);
  await post(`/projects/${id}/access`, { roles: [(await role()).id], groups: [], users: [lin.userId] });

  await open("/tokens?new=true");
  const token = page.getByRole("dialog", { name: "New token" });
  await token.getByLabel("Name").fill(`${id}-server`);
  await choose(page, token.getByRole("combobox", { name: "Environment" }), "▲ production");
  await picture(page, "token");
  await token.getByRole("button", { name: `Create ${id}-server` }).click();
  await page.getByRole("button", { name: "I have kept it" }).click();

  await open("/settings/sign-in/oidc");
  await page.getByRole("switch", { name: "People can sign in this way" }).press("Space");
  await page.getByLabel("Client id").fill("flags");
  await page.getByText("Try it out before saving").waitFor();
  await picture(page, "sign-in-settings");

  const shift = await pictured(lin);
  await shift.open(pageOf(feature));
  const control = (where) => shift.page.getByRole("switch", { name: `${feature} in ${where}` });
  assert.equal(await control("development").getAttribute("aria-disabled"), "true");
  await control("production").press("Space");
  await shift.page.getByRole("button", { name: "Switch off in production" }).click();
  await eventually(
    () => inProduction(feature),
    ({ enabled }) => !enabled,
  );
  await assertAtPeace(seen);
});

test("finding and changing many", async () => {
  const { page, open } = await pictured(admin);
  await open("/projects/webshop/features?query=checkout");
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await picture(page, "features");
  await page.getByRole("button", { name: "Change them …" }).click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  await page
    .getByRole("dialog")
    .getByText(/\d+ (can|flags will) be archived/)
    .waitFor();
  await picture(page, "change-many");
});

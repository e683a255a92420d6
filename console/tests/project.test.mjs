// What people do in a project and with all that belongs to it.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import {
  admin,
  ask,
  assertAtPeace,
  eventually,
  flip,
  hasFocus,
  server,
  signIn,
  takeBack,
  uncovered,
  visitor,
} from "./chromium.mjs";
import { freshFeature, id, person, project } from "./own-project.mjs";

let name;

beforeEach(async () => {
  name = await freshFeature();
});

test("home shows what is one's own, and switches it", async () => {
  const ada = await person(`${name}-ada`, 2);
  await ask(`${project}/access`, { method: "POST", body: { roles: [5], users: [ada.userId], groups: [] } });
  const seen = await visitor();
  await signIn(seen.context, ada);
  await seen.open("/");
  await seen.page.getByText("You created none yet").waitFor();
  const marked = await seen.context.request.post(`${server}${project}/features/${name}/favorites`, {
    headers: { origin: server },
  });
  assert.equal(marked.status(), 200);
  await seen.open("/");
  const mine = seen.page.getByRole("region", { name: "My flags" });
  await mine.getByRole("link", { name }).waitFor();
  await flip(mine.getByRole("switch", { name: `${name} in development` }));
  await eventually(
    () => ask(`${project}/features/${name}/environments/development`),
    ({ enabled }) => enabled,
  );
  await assertAtPeace(seen);
});

test("debt has a reason for each flag, is kept, and is archived as a whole", async () => {
  const old = [`${name}-a`, `${name}-b`];
  for (const one of old) await ask(`${project}/features`, { method: "POST", body: { name: one, type: "operational" } });
  const seen = await visitor({ as: admin });
  // Nobody can wait for features to age: the server's clock goes ahead, as far as its answers tell it.
  await seen.page.route("**/api/**", async (route) => {
    const response = await route.fetch();
    const date = new Date(Date.now() + 12.5 * 86_400_000).toUTCString();
    await route.fulfill({ response, headers: { ...response.headers(), date } });
  });
  await seen.open(`/projects/${id}/health`);
  const { page } = seen;
  const rows = page.getByRole("region", { name: "Flags that should go" });
  await rows
    .getByRole("row", { name: /5 days over the lifetime of Operational/ })
    .first()
    .waitFor();
  assert.equal(await rows.getByRole("link", { name, exact: true }).count(), 0, "a release flag is not due yet");
  await page.getByRole("button", { name: `Keep ${old[0]}` }).click();
  await page.getByRole("menuitem", { name: "It is meant to stay: Kill switch" }).click();
  await eventually(
    () => ask(`${project}/features/${old[0]}`),
    ({ type }) => type === "kill-switch",
  );
  await ask(`${project}/features`, { method: "POST", body: { name: `${name}-c`, type: "operational" } });
  await seen.open(`/projects/${id}/health?reason=expired`);
  await page.getByRole("button", { name: /^Archive these 2/ }).click();
  const preview = page.getByRole("dialog");
  await preview.getByText("2 flags will be archived.").waitFor();
  await preview.getByRole("button", { name: "Archive", exact: true }).click();
  await eventually(
    () => ask(`/api/admin/archive/features/${id}`),
    ({ features }) => features.filter((one) => one.name.startsWith(`${name}-`)).length === 2,
  );
  await assertAtPeace(seen);
});

test("revives from the archive, and deletes for ever only what is typed", async () => {
  const gone = `${name}-gone`;
  await ask(`${project}/features`, { method: "POST", body: { name: gone } });
  for (const one of [name, gone]) await ask(`${project}/features/${one}`, { method: "DELETE" });
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await seen.open(`/projects/${id}/archive`);
  await page.getByRole("checkbox", { name: `Select ${name}`, exact: true }).check();
  await page.getByRole("button", { name: "Revive" }).click();
  await eventually(
    () => ask(`${project}/features`),
    ({ features }) => features.some((one) => one.name === name),
  );
  await page.getByRole("checkbox", { name: `Select ${gone}` }).check();
  await page.getByRole("button", { name: "Delete for ever …" }).click();
  const dialog = page.getByRole("dialog");
  const button = dialog.getByRole("button", { name: "Delete for ever" });
  assert.equal(await button.isDisabled(), true);
  await dialog.getByLabel(/^Type /).fill(gone);
  await button.click();
  await eventually(
    () => ask(`/api/admin/archive/features/${id}`),
    ({ features }) => !features.some((one) => one.name === gone),
  );
  await assertAtPeace(seen);
});

test("two people change the settings of a project: nobody's are lost", async () => {
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await seen.open(`/projects/${id}/settings`);
  await page.getByLabel("Pattern for names").fill("[a-z0-9-]+");
  await page.getByLabel("Try a name").fill("NO");
  await page.getByText("✗ does not fit").waitFor();
  await page.getByLabel("Try a name").fill("yes-1");
  await page.getByText("✓ fits").waitFor();
  const general = page.getByRole("form", { name: "General" });
  await general.getByLabel("Description").fill("mine");
  await ask(project, { method: "PUT", body: { name: "Theirs", description: "theirs" } });
  await general.getByRole("button", { name: "Save" }).click();
  const conflict = page.getByRole("dialog", { name: "Somebody changed it while you were editing" });
  await conflict.getByRole("row", { name: /description.*theirs.*mine/ }).waitFor();
  await conflict.getByRole("button", { name: "Put mine on top" }).click();
  const overview = () => ask(`${project}/overview`);
  await eventually(overview, (one) => one.description === "mine" && one.name === "Theirs");
  const rules = page.getByRole("form", { name: "Rules for flags" });
  await rules.getByLabel("Most flags").fill("500");
  await rules.getByRole("button", { name: "Save" }).click();
  await eventually(overview, (one) => one.featureNaming.pattern === "[a-z0-9-]+" && one.featureLimit === 500);
  await assertAtPeace(seen);
});

test("sets what flags begin with, and takes an environment away only when it is typed", async () => {
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await seen.open(`/projects/${id}/environments?env=development`);
  const form = page.getByRole("dialog");
  await form.getByLabel("Share of users", { exact: true }).fill("30");
  await form.getByText("30 %", { exact: true }).waitFor();
  await form.getByRole("button", { name: "Save" }).click();
  await form.waitFor({ state: "hidden" });
  await ask(`${project}/features/${name}/environments/development/on`, { method: "POST" });
  const { strategies } = await ask(`${project}/features/${name}/environments/development`);
  assert.equal(strategies[0].parameters.rollout, "30");
  assert.equal(strategies[0].parameters.groupId, name, "each flag has a group of its own");

  await page
    .getByRole("row", { name: /^production/ })
    .getByRole("button", { name: "Take away …" })
    .click();
  await page.getByLabel(/^Type production/).fill("production");
  await page.getByRole("button", { name: "Take it away" }).click();
  const environments = async () => (await ask(`${project}/overview`)).environments.map((one) => one.environment);
  await eventually(environments, (names) => !names.includes("production"));
  await page.getByRole("button", { name: "Use it" }).first().click();
  await eventually(environments, (names) => names.includes("production"));
  await assertAtPeace(seen);
});

test("lets somebody into a project, tells what they may do, and takes it back", async () => {
  const bob = await person(`${name}-bob`, 3);
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await seen.open(`/projects/${id}/access?new=true`);
  const dialog = page.getByRole("dialog");
  // What opens takes the focus, which closes lists of others.
  await hasFocus(page);
  await dialog.getByLabel("People").first().fill(bob.username);
  await page.getByRole("option", { name: bob.username }).click();
  await page.keyboard.press("Escape");
  await dialog.getByLabel("Roles").first().click({ force: true });
  await page.getByRole("option", { name: "Member" }).click();
  // The list stays open for more, over whatever is below.
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Add" }).click();
  const roles = async () =>
    (await ask(`${project}/access`)).users.find((one) => one.id === bob.userId)?.roles.join() ?? "none";
  await eventually(roles, (held) => held === "5");

  await page.getByRole("row", { name: bob.username }).getByRole("button", { name: "What may they do?" }).click();
  await page
    .getByRole("dialog")
    .getByRole("row", { name: /Create feature flags .*✓ yes/ })
    .first()
    .waitFor();
  await page
    .getByRole("dialog")
    .getByRole("row", { name: /Delete the project.*✗ no/ })
    .first()
    .waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("checkbox", { name: `Owner: ${bob.username}` }).check();
  await eventually(roles, (held) => held.split(",").sort().join() === "4,5");
  const remove = page.getByRole("row", { name: bob.username }).getByRole("button", { name: "Remove" });
  await remove.click();
  await page.getByRole("alert").getByText(/owner/).waitFor();
  assert.equal((await roles()).split(",").length, 2, "the last owner stays");
  await ask(`${project}/access`, { method: "POST", body: { roles: [4], users: [1], groups: [] } });
  await remove.click();
  await takeBack(page, roles, (held) => held === "none", "has no role");
  await eventually(roles, (held) => held.split(",").sort().join() === "4,5");
  await assertAtPeace(seen);
});

test("somebody who may not see tokens and roles is told what is missing", async () => {
  const viewer = await person(`${name}-viewer`, 3);
  const seen = await visitor();
  await signIn(seen.context, viewer);
  await seen.open(`/projects/${id}/tokens`);
  await seen.page.getByRole("alert").getByText("Needs “View the project's API tokens”").waitFor();
  await seen.open(`/projects/${id}/access`);
  await seen.page.getByRole("alert").getByText("Needs “View the project's access” or “Update the project”").waitFor();
  await seen.open(`/projects/${id}/settings`);
  const save = seen.page.getByRole("form", { name: "General" }).getByRole("button", { name: "Save" });
  assert.equal(await save.getAttribute("aria-disabled"), "true");
  await assertAtPeace(seen);
});

test("a token's secret is shown once, and nowhere else", async () => {
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await seen.open(`/projects/${id}/tokens?new=true`);
  await page.getByLabel(/^Name/).fill(name);
  await page.getByRole("button", { name: "Create" }).click();
  const secret = await page.getByRole("textbox", { name: "The new token" }).innerText();
  const admitted = await fetch(`${server}/api/client/features`, { headers: { authorization: secret } });
  assert.equal(admitted.status, 200);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("row", { name }).waitFor();
  await uncovered(page);
  await page.keyboard.press("Shift+R");
  await page.getByRole("dialog", { name: "Requests of this tab" }).waitFor();
  assert.ok(!(await page.content()).includes(secret));
  await page.keyboard.press("Escape");
  await page.getByRole("row", { name }).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete it" }).click();
  await eventually(
    () => fetch(`${server}/api/client/features`, { headers: { authorization: secret } }),
    ({ status }) => status === 401,
  );
  await assertAtPeace(seen);
});

test("home stays where it is while it fills, and has a line for each flag", async () => {
  const ada = await person(`${name}-still`, 2);
  await ask(`${project}/access`, { method: "POST", body: { roles: [5], users: [ada.userId], groups: [] } });
  const seen = await visitor({ as: ada });
  const marks = await Promise.all(
    [name, await freshFeature(), await freshFeature()].map((one) =>
      seen.context.request.post(`${server}${project}/features/${one}/favorites`, { headers: { origin: server } }),
    ),
  );
  assert.ok(marks.every((answer) => answer.ok()));
  await seen.page.addInitScript(() => {
    window.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  // Answers come one after the other, as they do from afar.
  let number = 0;
  await seen.page.route("**/api/admin/**", async (route) => {
    const late = 100 * ++number;
    await new Promise((resolve) => setTimeout(resolve, late));
    await route.continue();
  });
  await seen.open("/");
  const mine = seen.page.getByRole("region", { name: "My flags" });
  await mine.getByRole("switch", { name: `${name} in production` }).waitFor();
  await seen.page.getByText("is owned by").waitFor();
  await seen.page.waitForLoadState("networkidle");
  const shifted = await seen.page.evaluate(() => window.shifted);
  assert.ok(shifted < 0.05, `what is there moves by ${shifted}`);
  const rows = await mine
    .getByRole("row")
    .filter({ has: seen.page.getByRole("switch") })
    .all();
  assert.equal(rows.length, 3);
  for (const row of rows) assert.ok((await row.boundingBox()).height <= 37);
});

test("a project is called by its name, and one that does not exist has no pages", async () => {
  const { page, open } = await visitor({ as: admin });
  const { name } = await ask(`${project}/overview`);
  assert.notEqual(name, id);
  for (const path of [`/projects/${id}`, `/projects/${id}/features`, `/projects/${id}/health`]) {
    await open(path);
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.getByText(id, { exact: true }).first().waitFor();
    const trail = page.getByRole("main").getByRole("link", { name: "Projects", exact: true }).locator("xpath=..");
    assert.equal(await trail.innerText(), "Projects");
  }
  for (const path of ["", "/features", "/settings"]) {
    await open(`/projects/nobody-made-this${path}`);
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    assert.equal(await page.getByRole("navigation", { name: "About this project" }).count(), 0);
  }
});

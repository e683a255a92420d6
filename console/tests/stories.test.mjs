// What people do, from the first click to what the server then says.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { admin, ask, assertAtPeace, eventually, flip, server, signIn, takeBack, visitor } from "./chromium.mjs";

const project = "/api/admin/projects/webshop";
let number = 0;
let name;

beforeEach(async () => {
  name = `story-${Date.now().toString(36)}-${++number}`;
  await ask(`${project}/features`, { method: "POST", body: { name, description: "of a story" } });
});

const pageOf = (feature) => `/projects/webshop/features/${feature}`;
const environment = (feature, where) => ask(`${project}/features/${feature}/environments/${where}`);
const switched = (where) => () => environment(name, where).then(({ enabled }) => enabled);

test("switches at once in development, asks in production, and takes back", async () => {
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(pageOf(name));
  await flip(page.getByRole("switch", { name: `${name} in development` }));
  await takeBack(page, switched("development"), (on) => on);
  await eventually(switched("development"), (on) => !on);

  await flip(page.getByRole("switch", { name: `${name} in production` }));
  const dialog = page.getByRole("dialog");
  await dialog.getByText("No strategy is enabled there").waitFor();
  assert.equal(
    await dialog.getByRole("button", { name: "Cancel" }).evaluate((button) => button === document.activeElement),
    true,
  );
  assert.equal(await switched("production")(), false);
  await dialog.getByRole("button", { name: "Switch on in production" }).click();
  await eventually(switched("production"), (on) => on);
  await assertAtPeace(seen);
});

test("names the segments of those for whom production is switched on", async () => {
  const { id } = await ask("/api/admin/segments", { method: "POST", body: { name: `${name}-staff`, constraints: [] } });
  const strategies = `${project}/features/${name}/environments/production/strategies`;
  await ask(strategies, { method: "POST", body: { name: "default", segments: [id] } });
  const { page, open } = await visitor({ as: admin });
  await open(`/features?query=${name}`);
  await flip(page.getByRole("switch", { name: `${name} in production` }));
  const dialog = page.getByRole("dialog", { name: "Switch on in production" });
  await dialog.getByText(`everybody where in segment ${name}-staff`).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await switched("production")(), false);
});

test("switches production off by keys alone", async () => {
  await ask(`${project}/features/${name}/environments/production/on`, { method: "POST" });
  const { page, open } = await visitor({ as: admin });
  await open(`/features?query=${name}`);
  await page.getByRole("link", { name, exact: true }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const control = page.getByRole("switch", { name: `${name} in production` });
  await control.waitFor();
  await page.getByRole("heading", { name, exact: true }).waitFor();
  for (let tabs = 0; tabs < 60; tabs += 1) {
    await page.keyboard.press("Tab");
    if (await control.evaluate((element) => element === document.activeElement)) break;
  }
  await page.keyboard.press("Space");
  await page.getByRole("dialog").getByText("for everybody").waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === "Switch off in production");
  await page.keyboard.press("Enter");
  await eventually(switched("production"), (on) => !on);
});

test("makes a flag, whose name is tried while it is typed", async () => {
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  const made = `${name}-made-`.padEnd(100, "x");
  await open("/projects/webshop/features");
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  const field = dialog.getByLabel(/^Name/);
  await field.fill(name);
  await dialog.getByText(/exists|taken/i).waitFor();
  await field.fill("not a name!");
  await dialog.locator("[aria-invalid=true]").first().waitFor();
  await field.fill(made);
  await dialog.getByText("✓").waitFor();
  await dialog.getByText("Request", { exact: true }).click();
  await dialog.getByText(`"name":"${made}"`).waitFor();
  await dialog.getByRole("button", { name: /^Create / }).click();
  await page.getByRole("heading", { name: made }).waitFor();
  assert.equal((await ask(`${project}/features/${made}`)).name, made);
  await assertAtPeace(seen);
});

test("two people edit one strategy: what only one changed is kept, and one chooses the rest", async () => {
  const path = `${project}/features/${name}/environments/development/strategies`;
  const parameters = { rollout: "10", stickiness: "default", groupId: name };
  const { id } = await ask(path, { method: "POST", body: { name: "flexibleRollout", title: "old", parameters } });
  const { page, open } = await visitor({ as: admin });
  await open(`${pageOf(name)}?env=development&strategy=${id}`);
  const form = page.getByRole("dialog");
  await form.getByLabel("Title").fill("mine");
  await form.getByLabel("Share of users", { exact: true }).fill("30");
  const theirs = { ...parameters, rollout: "50" };
  await ask(`${path}/${id}`, { method: "PUT", body: { name: "flexibleRollout", title: "old", parameters: theirs } });
  await form.getByRole("button", { name: "Save" }).click();

  const conflict = page.getByRole("dialog", { name: "Somebody changed it while you were editing" });
  await conflict.getByRole("row", { name: /rollout.*10.*50.*30/ }).waitFor();
  await conflict.getByText("Theirs", { exact: true }).last().click();
  await conflict.getByRole("button", { name: "Put mine on top" }).click();
  await eventually(
    () => ask(`${path}/${id}`),
    (strategy) => strategy.title === "mine" && strategy.parameters.rollout === "50",
  );
});

test("a change of another part of the flag is no conflict", async () => {
  const { page, open } = await visitor({ as: admin });
  await open(`${pageOf(name)}/settings`);
  await page.getByLabel("Description").fill("written by me");
  await ask(`${project}/features/${name}/environments/development/on`, { method: "POST" });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await eventually(
    () => ask(`${project}/features/${name}`),
    ({ description }) => description === "written by me",
  );
});

test("archives many after a preview, and takes it back", async () => {
  for (const part of ["a", "b", "c"])
    await ask(`${project}/features`, { method: "POST", body: { name: `${name}-${part}` } });
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/features?query=${name}-`);
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByText("3 selected").waitFor();
  await page.getByRole("button", { name: "Change them …" }).click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  const preview = page.getByRole("dialog");
  await preview.getByText("3 flags will be archived.").waitFor();
  const archived = async () =>
    (await ask("/api/admin/archive/features/webshop")).features.filter((one) => one.name.startsWith(`${name}-`)).length;
  assert.equal(await archived(), 0);
  await preview.getByRole("button", { name: "Archive", exact: true }).click();
  await takeBack(page, archived, (count) => count === 3);
  await eventually(archived, (count) => count === 0);
  await assertAtPeace(seen);
});

test("finds a change in the history and puts it back", async () => {
  await ask(`${project}/features/${name}`, {
    method: "PATCH",
    body: [{ op: "replace", path: "/description", value: "spoilt" }],
  });
  const { page, open } = await visitor({ as: admin });
  await open(`${pageOf(name)}/history`);
  const changed = /changed the settings.*description of a story → spoilt/;
  await page.getByRole("row", { name: changed }).first().waitFor();
  await page
    .getByRole("button", { name: /^Open event/ })
    .first()
    .click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("row", { name: /description of a story spoilt/ }).waitFor();
  await drawer.getByRole("button", { name: "Put it back …" }).click();
  await page.getByRole("button", { name: "Put it back", exact: true }).click();
  await eventually(
    () => ask(`${project}/features/${name}`),
    ({ description }) => description === "of a story",
  );
  // The link leads somebody else to the same event.
  const other = await visitor({ as: admin });
  await other.page.goto(page.url());
  await other.page.getByRole("dialog").getByText("changed the settings of").waitFor();
});

test("puts back over what was seen only: who is faster is asked about", async () => {
  const write = (value) =>
    ask(`${project}/features/${name}`, { method: "PATCH", body: [{ op: "replace", path: "/description", value }] });
  await write("spoilt");
  const { page, open } = await visitor({ as: admin });
  await open(`${pageOf(name)}/history`);
  await page
    .getByRole("button", { name: /^Open event/ })
    .first()
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Put it back …" }).click();
  const asking = page.getByRole("dialog", { name: "Put it back", exact: true });
  await asking.getByRole("row", { name: "description spoilt of a story" }).waitFor();
  await write("by somebody else");
  await asking.getByRole("button", { name: "Put it back", exact: true }).click();
  const again = page.getByRole("dialog", { name: /^Somebody changed it meanwhile/ });
  await again.getByRole("row", { name: "description by somebody else of a story" }).waitFor();
  const description = async () => (await ask(`${project}/features/${name}`)).description;
  assert.equal(await description(), "by somebody else");
  await again.getByRole("button", { name: "Put it back", exact: true }).click();
  await eventually(description, (text) => text === "of a story");
  await page.getByRole("button", { name: "Put it back …" }).click();
  await page.getByText("It is as it was before this event already.").waitFor();
});

test("keeps what was typed while the server is away, and after the session ended", async () => {
  const { page, open, context } = await visitor({ as: admin });
  await open(`${pageOf(name)}/settings`);
  await page.getByLabel("Description").fill("typed before");
  await context.setOffline(true);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("alert").getByText("The server does not answer").first().waitFor();
  assert.equal(await page.getByLabel("Description").inputValue(), "typed before");
  await context.setOffline(false);

  await context.clearCookies();
  // What the page reads anew by itself may be refused first: the question lies over the button then.
  await page.getByRole("button", { name: "Save", exact: true }).dispatchEvent("click");
  const again = page.getByRole("dialog", { name: "You were signed out" });
  await again.getByLabel("User name or email").fill("admin");
  await again.locator("input[type=password]").fill(admin.password);
  await again.getByRole("button", { name: "Sign in" }).click();
  await again.waitFor({ state: "hidden" });
  assert.equal(await page.getByLabel("Description").inputValue(), "typed before");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await eventually(
    () => ask(`${project}/features/${name}`),
    ({ description }) => description === "typed before",
  );
});

test("an answer to what was asked before somebody signed in again does not sign them out", async () => {
  const { page, open, context } = await visitor({ as: admin });
  await open(pageOf(name));
  await context.clearCookies();
  let late;
  await page.route("**/environments/development/on", async (route) => {
    late = { route, response: await route.fetch() };
  });
  await flip(page.getByRole("switch", { name: `${name} in development` }));
  await eventually(
    () => late?.response.status(),
    (status) => status === 401,
  );
  await flip(page.getByRole("switch", { name: `${name} in production` }));
  const again = page.getByRole("dialog", { name: "You were signed out" });
  await again.getByLabel("User name or email").fill("admin");
  await again.locator("input[type=password]").fill(admin.password);
  await again.getByRole("button", { name: "Sign in" }).click();
  await again.waitFor({ state: "hidden" });
  await late.route.fulfill({ response: late.response });
  await page.locator("[role=switch][aria-busy=true]").waitFor({ state: "detached" });
  assert.equal(await again.count(), 0);
});

test("somebody who may only look is told what is missing", async () => {
  const viewer = { username: `${name}-viewer`, password: "Tests-Viewer-1" };
  await ask("/api/admin/user-admin", { method: "POST", body: { ...viewer, rootRole: 3, sendEmail: false } });
  const seen = await visitor();
  await signIn(seen.context, viewer);
  await seen.open(pageOf(name));
  const control = seen.page.getByRole("switch", { name: `${name} in production` });
  assert.equal(await control.getAttribute("aria-disabled"), "true");
  await control.press("Space");
  assert.equal(await switched("production")(), false);
  const button = seen.page.getByRole("button", { name: /Add strategy/ }).first();
  await button.focus();
  // Arrived at by keys, since only then something is told.
  await seen.page.keyboard.press("Shift+Tab");
  await seen.page.keyboard.press("Tab");
  await seen.page
    .getByRole("tooltip")
    .filter({ hasText: "Needs “Create strategies” in development of webshop" })
    .waitFor();
  await assertAtPeace(seen);
});

test("markup, emoji, and scripts from right to left are only text", async () => {
  const description = '<img src=x onerror="document.title=1"> 🚩 مرحبا <b>x</b> ' + "long".repeat(200);
  await ask(`${project}/features/${name}`, {
    method: "PATCH",
    body: [{ op: "replace", path: "/description", value: description }],
  });
  for (let at = 0; at < 20; at += 1) {
    await ask(`/api/admin/features/${name}/tags`, {
      method: "POST",
      body: { type: "simple", value: `tag-${at}-${"y".repeat(40)}` },
    });
  }
  const seen = await visitor({ as: admin });
  await seen.open(pageOf(name));
  await seen.page.getByText("مرحبا").waitFor();
  await seen.open(`/features?query=${name}`);
  const titled = await seen.page.getByRole("link", { name, exact: true }).first().getAttribute("title");
  assert.ok(titled.includes("simple:tag-19-"), titled);
  assert.equal(await seen.page.locator("img[src=x]").count(), 0);
  const overflow = await seen.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 0, `${overflow} px too wide`);
  await assertAtPeace(seen);
});

test("the palette leads to a flag", async () => {
  const seen = await visitor({ as: admin });
  await seen.open("/projects");
  await seen.page.keyboard.press("Control+k");
  await seen.page.getByPlaceholder("A page, a flag, or: disable checkout in production").fill(name);
  await seen.page
    .getByRole("button", { name: new RegExp(`^${name}`) })
    .first()
    .waitFor();
  await seen.page.keyboard.press("ArrowDown");
  await seen.page.keyboard.press("Enter");
  await seen.page.getByRole("heading", { name, exact: true }).waitFor();
  await assertAtPeace(seen);
});

// What goes wrong around the console: the server, the way to it, and the reader's clock. What was typed stays.
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { serveNewerConsole } from "./newer-console.mjs";
import { ownServer } from "./own-server.mjs";

const own = await ownServer();
const { admin, ask, assertAtPeace, eventually, server, visitor } = await import("./chromium.mjs");

const project = "/api/admin/projects/default";
const minute = 60_000;
let number = 0;
let name;

const create = (path, body) => ask(`/api/admin${path}`, { method: "POST", body });
const settingsOf = (feature) => `/projects/default/features/${feature}/settings`;
const description = async () => (await ask(`${project}/features/${name}`)).description;

before(() => create("/environments", { name: "one-of-many", type: "test" }));
beforeEach(async () => {
  name = `trouble-${++number}`;
  await create("/projects/default/features", { name });
});

/** Keeps answers back until they are let go; tells how many were asked for. */
async function holdBack(page, pattern) {
  const held = [];
  let isHeld = true;
  await page.route(pattern, (route) => (isHeld ? held.push(route) : route.continue()));
  return {
    held,
    release: async () => {
      isHeld = false;
      await Promise.all(held.splice(0).map((route) => route.continue().catch(() => undefined)));
    },
  };
}

test("a server that restarts while a form is open: what was typed stays, and is saved then", async () => {
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(settingsOf(name));
  await page.getByLabel("Description").fill("typed before the restart");
  await own.stop();
  const save = page.getByRole("button", { name: "Save", exact: true });
  await save.click();
  await page.getByRole("alert").getByText("The server does not answer", { exact: true }).waitFor();
  assert.equal(await page.getByLabel("Description").inputValue(), "typed before the restart");
  await own.start();
  await save.click();
  await eventually(description, (text) => text === "typed before the restart");
  assert.deepEqual(await page.evaluate(() => window.violations), []);
});

test("a server that came back with a newer console: the page stays as it is, and says what to do", async () => {
  const { page, open } = await visitor({ as: admin });
  await open(settingsOf(name));
  await page.getByLabel("Description").fill("typed before the upgrade");
  // The palette is not loaded yet.
  await serveNewerConsole(page);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Control+k");
  const told = page.getByRole("alert").getByText("The server has a newer console");
  await told.waitFor();
  assert.equal(await page.getByLabel("Description").inputValue(), "typed before the upgrade");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await eventually(description, (text) => text === "typed before the upgrade");
  await page.getByRole("alert").getByRole("button", { name: "Reload" }).click();
  await told.waitFor({ state: "hidden" });
  assert.equal(await page.getByLabel("Description").inputValue(), "typed before the upgrade");
});

test("an answer that takes ten seconds: rows to come, then words, and asked for again", async () => {
  const seen = await visitor({ as: admin });
  const { page } = seen;
  const { held, release } = await holdBack(page, "**/api/admin/search/events?*");
  // What the page does takes no time by its clock, which goes on only where the test says so.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60 * minute);
  await page.goto(`${server}/console/history`);
  await eventually(
    () => page.clock.runFor(1).then(() => held.length),
    (count) => count > 0,
  );
  await page.getByRole("status", { name: "Loading" }).waitFor();
  const waiting = page.getByText("Still waiting for the server");
  await page.clock.runFor(1000);
  assert.equal(await waiting.count(), 0, "a moment is nothing to tell about");
  await page.clock.runFor(9000);
  await waiting.waitFor();
  const asked = held.length;
  await page.getByRole("button", { name: "Ask again" }).click();
  await eventually(
    () => held.length,
    (count) => count > asked,
  );
  await release();
  await page.clock.resume();
  await page.getByRole("region", { name: "Events", exact: true }).waitFor();
  await waiting.waitFor({ state: "hidden" });
  await assertAtPeace(seen);
});

test("whoever waits no longer is told so, and nothing typed is lost", async () => {
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await page.clock.install();
  await open(settingsOf(name));
  await page.getByLabel("Description").fill("typed before the wait");
  const { release } = await holdBack(page, `**/features/${name}`);
  const save = page.getByRole("button", { name: "Save", exact: true });
  await save.click();
  await page.clock.runFor(10_000);
  const band = page.getByRole("status").filter({ hasText: "Still waiting" });
  await band.waitFor();
  assert.equal(await band.getByRole("button", { name: "Ask again" }).count(), 0, "nothing is done twice by that");
  await band.getByRole("button", { name: "Stop waiting" }).click();
  await page.getByRole("alert").getByText("look before you do it again").waitFor();
  assert.equal(await page.getByLabel("Description").inputValue(), "typed before the wait");
  await release();
  await save.click();
  await eventually(description, (text) => text === "typed before the wait");
  await assertAtPeace(seen);
});

test("in a dialog, the wait is told within reach of the keyboard", async () => {
  const { page, open } = await visitor({ as: admin });
  await page.clock.install();
  await open("/projects/default/features?new=true");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Name/).fill(`${name}-slow`);
  await page.clock.runFor(1000);
  await dialog.getByText("✓").waitFor();
  await holdBack(page, "**/api/admin/projects/default/features");
  await dialog.getByRole("button", { name: /^Create / }).click();
  await page.clock.runFor(10_000);
  const stop = dialog.getByRole("button", { name: "Stop waiting" });
  await stop.focus();
  await page.keyboard.press("Enter");
  await dialog.getByRole("alert").getByText("look before you do it again").waitFor();
});

for (const [wrong, by] of [
  ["ahead", 60 * minute],
  ["behind", -60 * minute],
]) {
  test(`a reader's clock that is an hour ${wrong} judges nothing`, async () => {
    const inMinutes = (count) => new Date(Date.now() + count * minute).toISOString();
    const ends = { tokenName: `${name}-soon`, type: "client", environment: "development", projects: ["*"] };
    await create("/api-tokens", { ...ends, expiresAt: inMinutes(30) });
    const seen = await visitor({ as: admin });
    const { page } = seen;
    await page.clock.install({ time: Date.now() + by });
    await page.goto(`${server}/console/tokens?query=${name}-soon`);
    const row = page.getByRole("row", { name: `${name}-soon` });
    await row.getByText("ends within a week").waitFor();
    await row.getByText(/(seconds|a minute|\d minutes) ago/).waitFor();
    assert.equal(await row.getByText("ended", { exact: true }).count(), 0);
    await page.goto(`${server}/console/projects/default/features/${name}`);
    await page
      .getByText(/created .*(seconds|a minute|\d minutes) ago/)
      .first()
      .waitFor();
    await page.goto(`${server}/console/tokens?new=true`);
    const end = page.getByRole("dialog").getByRole("combobox", { name: "Expires" });
    await end.click();
    await page.getByRole("option", { name: "in 7 days" }).click();
    const chosen = await page.getByRole("dialog").locator("input[type=datetime-local]").inputValue();
    const off = Math.abs(Date.parse(chosen) - (Date.now() + 7 * 24 * 60 * minute));
    assert.ok(off < 30 * minute, `${chosen} is no week from now`);
    await assertAtPeace(seen);
  });
}

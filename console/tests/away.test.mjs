// A server that is away for a moment, and one that came back with a newer console: no page is replaced, nothing is lost.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { serveNewerConsole } from "./newer-console.mjs";
import { ownServer } from "./own-server.mjs";

const own = await ownServer();
const { admin, ask, eventually, flip, settled, visitor } = await import("./chromium.mjs");

const project = "/api/admin/projects/default";
let number = 0;
let name;

beforeEach(async () => {
  name = `away-${++number}`;
  await ask(`${project}/features`, { method: "POST", body: { name } });
});

const told = (page) => page.getByRole("alert").filter({ hasText: "The server does not answer" }).first();
const menu = (page) => page.getByRole("navigation", { name: "Areas" });

test("a page that was not loaded yet, while the server is away: the menu stays, and the page comes with the server", async () => {
  const { page, open } = await visitor({ as: admin });
  await open("/features");
  await own.stop();
  await menu(page).getByRole("link", { name: "Insights" }).click();
  await told(page).waitFor();
  assert.equal(await page.getByText("This page broke").count(), 0);
  assert.equal(await page.getByText("newer console").count(), 0, "nothing is known of a newer console");
  assert.equal(await menu(page).isVisible(), true);
  await own.start();
  await page.getByRole("heading", { name: "Insights", level: 1 }).waitFor();
  await told(page).waitFor({ state: "hidden" });
  await settled(page);
  // Its styles came as well.
  assert.deepEqual(
    await page.evaluate(
      () => [...document.querySelectorAll("link[rel=stylesheet]")].filter(({ sheet }) => !sheet).length,
    ),
    0,
  );
});

test("a tab of a project that was not loaded yet, while the way to the server is cut", async () => {
  const { page, open, context } = await visitor({ as: admin });
  await open("/projects/default");
  await context.setOffline(true);
  await page.getByRole("link", { name: "Health", exact: true }).click();
  await told(page).waitFor();
  assert.equal(
    await page.getByRole("heading", { level: 1, name: /default/i }).count(),
    1,
    "the project is still named",
  );
  await context.setOffline(false);
  await told(page).waitFor({ state: "hidden" });
  await settled(page);
});

test("the palette, while the server is away: what was typed in the page stays, and the palette comes later", async () => {
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/default/features/${name}/settings`);
  await page.getByLabel("Description").fill("typed while it was away");
  await own.stop();
  await page.keyboard.press("Control+k");
  await told(page).waitFor();
  await own.start();
  await page.getByPlaceholder("A page, a flag, or: disable checkout in production").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.getByLabel("Description").inputValue(), "typed while it was away");
});

test("a newer console: the page says so inside its frame, and a reload shows the page that was asked for", async () => {
  const { page, open } = await visitor({ as: admin });
  await open("/features");
  await serveNewerConsole(page);
  await menu(page).getByRole("link", { name: "Insights" }).click();
  const alert = page.getByRole("alert").filter({ hasText: "The server has a newer console" });
  await alert.waitFor();
  assert.equal(await menu(page).isVisible(), true);
  await alert.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("heading", { name: "Insights", level: 1 }).waitFor();
});

test("a part that a browser does not ask for again: a reload is offered beside the attempts", async () => {
  const { page, open } = await visitor({ as: admin });
  await open("/features");
  await page.route("**/console/assets/InsightsPage*.js", (route) => route.abort());
  await menu(page).getByRole("link", { name: "Insights" }).click();
  const alert = page.getByRole("alert").filter({ hasText: "could not be loaded" });
  await alert.waitFor();
  await page.unrouteAll();
  await alert.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("heading", { name: "Insights", level: 1 }).waitFor();
});

test("what is shown already stays while the server is away, and goes on working after it", async () => {
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/default/features/${name}`);
  await own.stop();
  const control = page.getByRole("switch", { name: `${name} in development` });
  await flip(control);
  await page.getByRole("alert").filter({ hasText: "The server does not answer" }).waitFor();
  assert.equal(await page.getByRole("heading", { name, exact: true }).count(), 1);
  await own.start();
  await flip(control);
  await eventually(
    () => ask(`${project}/features/${name}/environments/development`),
    ({ enabled }) => enabled,
  );
});

// What the frame says and keeps: notifications, the time zone, the focus.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, ask, assertAccessible, server, visitor } from "./chromium.mjs";
import { freshFeature, id, person, project } from "./own-project.mjs";

test("what others did is at the bell, with how much is not read, until it is", async () => {
  const who = await person(`${id}-member`, 2);
  await ask(`${project}/access`, { method: "POST", body: { roles: [4], groups: [], users: [who.userId] } });
  const name = await freshFeature();
  const { page, open } = await visitor({ as: who });
  await open("/insights");
  const bell = page.getByRole("button", { name: /^Notifications, \d+ unread$/ });
  await bell.click();
  const list = page.getByRole("dialog", { name: /^Notifications/ });
  await list.getByRole("button", { name: `Unread: ` }).filter({ hasText: name }).waitFor();
  await assertAccessible(page, "the notifications");
  await list.getByRole("button", { name: "Mark all as read" }).click();
  await page.getByRole("button", { name: "Notifications, none unread" }).waitFor();
  await list.getByRole("button").filter({ hasText: name }).click();
  await page.getByRole("heading", { name, exact: true }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Notifications, none unread" }).waitFor();
});

test("times are shown in the zone that one chose, which the list names", async () => {
  await freshFeature();
  const { page, open } = await visitor({ as: admin });
  await open("/history");
  const first = page.getByRole("region", { name: "Events", exact: true }).locator("time").first();
  const moment = new Date(await first.getAttribute("datetime"));
  const choose = async (zone) => {
    await page.getByRole("button", { name: /^Me:/ }).click();
    await page.getByRole("menuitem", { name: /^Time zone/ }).click();
    const dialog = page.getByRole("dialog", { name: "Time zone" });
    await dialog.getByLabel("Zone of all times").first().fill(zone);
    await page.getByRole("option", { name: zone, exact: true }).click();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await dialog.waitFor({ state: "hidden" });
  };
  const shown = (zone) => new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  for (const zone of ["Asia/Tokyo", "UTC"]) {
    await choose(zone);
    await page.getByRole("columnheader", { name: `When (${zone})` }).waitFor();
    assert.equal(await first.textContent(), shown(zone).format(moment));
  }
  await page.reload();
  await page.getByRole("columnheader", { name: "When (UTC)" }).waitFor();
});

test("a change of page moves the focus to its heading and is said; a tab keeps the focus", async () => {
  const { page, open } = await visitor({ as: admin });
  await open("/features");
  const focused = (words) => page.waitForFunction((words) => document.activeElement?.textContent === words, words);
  await page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name: "Insights" }).click();
  await page.getByRole("heading", { name: "Insights", level: 1 }).waitFor();
  await focused("Insights");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "H1");
  await page.locator("[aria-live=polite]").filter({ hasText: "Insights" }).first().waitFor({ state: "attached" });
  await open(`/projects/${id}/settings`);
  const tab = page.getByRole("link", { name: "Health", exact: true });
  await tab.focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.pathname.endsWith("/health"));
  assert.equal(await tab.evaluate((link) => link === document.activeElement), true);
});

test("a drawer begins in its first field", async () => {
  const name = await freshFeature();
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/features/${name}?env=development&strategy=new`);
  await page.getByRole("dialog").locator("form").waitFor();
  await page.waitForFunction(() => document.activeElement?.matches("[role=dialog] form input"));
});

test("while the console is loaded, its frame is there in its final places, without anything that the policy forbids", async () => {
  const { page } = await visitor({ as: admin });
  let go;
  const held = new Promise((resolve) => (go = resolve));
  await page.route("**/assets/*.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${server}/console/features`, { waitUntil: "commit" });
  const top = page.locator(".loading-top");
  await top.waitFor();
  const [before, side] = [await top.boundingBox(), await page.locator(".loading-side").boundingBox()];
  go();
  await page.getByRole("heading", { name: "Feature flags", level: 1 }).waitFor();
  const header = await page.locator("header").boundingBox();
  const areas = await page.getByRole("navigation", { name: "Areas" }).boundingBox();
  assert.deepEqual([before.height, before.width], [header.height, header.width]);
  assert.deepEqual([side.x, side.y, side.width, side.height], [areas.x, areas.y, areas.width, areas.height]);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
});

test("nothing is refused on the page to sign in, nor where nobody is signed in and it is led to", async () => {
  for (const path of ["/sign-in", "/features"]) {
    const { page, open } = await visitor();
    const refused = [];
    page.on("response", (answer) => answer.status() >= 400 && refused.push(`${answer.status()} ${answer.url()}`));
    await open(path);
    await page.getByLabel("User name or email").waitFor();
    await page.waitForLoadState("networkidle");
    assert.deepEqual(refused, []);
  }
});

test("what opened a dialog has the focus again when it closes, also from a menu", async () => {
  const name = await freshFeature();
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/features/${name}`);
  const hasFocus = (label) =>
    page.waitForFunction(
      (label) => [document.activeElement.ariaLabel, document.activeElement.textContent].includes(label),
      label,
    );
  const control = page.getByRole("switch", { name: `${name} in production` });
  await control.press("Space");
  await page.getByRole("dialog", { name: "Switch on in production" }).waitFor();
  await page.keyboard.press("Escape");
  await hasFocus(`${name} in production`);
  for (const opener of ["Compare environments", "Add link"]) {
    await page.getByRole("button", { name: opener }).press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await hasFocus(opener);
  }
  await page.getByRole("button", { name: "More actions" }).press("Enter");
  await page.getByRole("menuitem", { name: "Clone …" }).press("Enter");
  await page.getByRole("dialog", { name: `Clone ${name}` }).waitFor();
  await page.keyboard.press("Escape");
  await hasFocus("More actions");
});

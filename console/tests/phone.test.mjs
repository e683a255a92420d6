// On a telephone: tables are cards whose words stay whole, and the areas are a menu.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { freshName, post, userNamed } from "./administration.mjs";
import {
  admin,
  ask,
  assertAccessible,
  assertAtPeace,
  eventually,
  narrow,
  server,
  settled,
  visitor,
  wide,
} from "./chromium.mjs";

const id = freshName();
const long = "Margaret Hamilton-Featherstonehaugh";

before(async () => {
  await post("/projects", { id, name: "Telephones" });
  const { id: userId } = await userNamed(`${id}-margaret`, { name: long });
  await post(`/projects/${id}/access`, { roles: [4, 5], groups: [], users: [userId] });
  await post("/scim-settings/directories", { name: `${id} directory of ${long}` });
  const settings = { clientId: "flags", secret: "of-phones", discoverUrl: "https://id.example.com" };
  await post("/auth/providers", { id, kind: "oidc", label: `${id} of ${long}`.slice(0, 100), settings });
  for (const name of [`${id}-flag`, `${id}-gone`]) await post(`/projects/${id}/features`, { name });
  await ask(`/api/admin/projects/${id}/features/${id}-gone`, { method: "DELETE" });
});

/** Texts whose words are broken within: drawn on more lines than they have words, and narrower than a word. */
const broken = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("main td *")]
      .filter((element) => element.children.length === 0 && element.textContent.trim().length > 3)
      .filter((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        const tops = new Set([...range.getClientRects()].filter(({ width }) => width > 1).map(({ top }) => top));
        return tops.size > element.textContent.trim().split(/[\s-]+/).length;
      })
      .map((element) => element.textContent),
  );

/** What reaches beyond a part that then scrolls sideways. */
const tooWide = (page) =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll("main, main [role=region], main .scrolls")]
      .filter((one) => one.scrollWidth > one.clientWidth + 1)
      .flatMap((one) => {
        const edge = one.getBoundingClientRect().right;
        const beyond = [...one.querySelectorAll("*")].filter((part) => part.getBoundingClientRect().right > edge + 1);
        return beyond.slice(0, 3).map((part) => part.outerHTML.slice(0, 160));
      }),
  );

/** What is drawn late may push something aside for a moment. */
async function assertFits(page) {
  const end = Date.now() + 10_000;
  let found = await tooWide(page);
  while (found.length > 0 && Date.now() < end) {
    await page.waitForTimeout(100);
    found = await tooWide(page);
  }
  assert.deepEqual(found, [], "nothing scrolls sideways");
}

for (const path of [
  `/projects/${id}/access`,
  "/people/users",
  "/people/groups",
  "/people/roles",
  "/tokens",
  "/projects",
  "/applications",
  "/unknown-flags",
  "/outdated-sdks",
  `/projects/${id}/history`,
  `/projects/${id}/archive`,
  `/projects/${id}/health`,
  `/projects/${id}/environments`,
  "/history",
  "/",
  "/integrations",
  "/build/segments",
  "/build/context",
  "/build/tags",
  "/build/types",
  "/build/strategies",
  "/build/environments",
  "/build/environments/production/rewind",
  "/people/programs",
  "/people/invites",
  "/people/sessions",
  "/people/access-requests",
  "/people/inactive",
  "/people/access",
  "/settings/sign-in/accounts",
  "/settings/sign-in/scim",
  "/settings/sign-in/providers",
  "/settings/sign-in/log",
  "/settings/banners",
  "/settings/instance",
  "/edges",
  "/playground?environment=development",
  `/projects/${id}`,
  `/projects/${id}/tokens`,
  `/projects/${id}/features/${id}-flag`,
  `/projects/${id}/features/${id}-flag/history`,
  `/projects/${id}/features/${id}-flag/rewind`,
  `/projects/${id}/features/${id}-flag/settings`,
]) {
  test(`${path} has whole words and fits`, async () => {
    const seen = await visitor({ as: admin, size: narrow });
    const { page, open } = seen;
    await open(path);
    assert.deepEqual(await broken(page), []);
    await assertFits(page);
    await assertAccessible(page, path);
    await assertAtPeace(seen);
  });
}

test("a card of the project's access names its roles, and they can be given there", async () => {
  const { page, open } = await visitor({ as: admin, size: narrow });
  await open(`/projects/${id}/access`);
  const card = page.getByRole("row").filter({ hasText: long });
  const labels = await card
    .locator("td")
    .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell, "::before").content.replaceAll('"', "")));
  assert.ok(labels.includes("Owner") && labels.includes("Since"), labels.join());
  const box = page.getByRole("checkbox", { name: `Member: ${long}` });
  await box.click();
  await page.getByRole("alert").filter({ hasText: "is no longer Member" }).waitFor();
});

test("what one's own flags are and where they are on fits on Home", async () => {
  const { page, open, context } = await visitor({ as: admin, size: narrow });
  const path = `/api/admin/projects/${id}/features/${id}-flag/favorites`;
  assert.equal((await context.request.post(server + path, { headers: { origin: server } })).status(), 200);
  await open("/");
  const mine = page.getByRole("region", { name: "My flags" });
  await mine.getByRole("switch", { name: `${id}-flag in production` }).waitFor();
  await assertFits(page);
  assert.deepEqual(await broken(page), []);
});

test("a flag can be rewound by a slider as wide as the screen", async () => {
  const { page, open } = await visitor({ as: admin, size: narrow });
  await ask(`/api/admin/projects/${id}/features/${id}-flag/environments/development/on`, { method: "POST" });
  await open(`/projects/${id}/features/${id}-flag/rewind`);
  const { width } = await page.getByRole("slider", { name: "Moment" }).boundingBox();
  assert.ok(width > 280, `${width} px`);
});

test("the areas are a menu that closes when one is chosen", async () => {
  const { page, open } = await visitor({ as: admin, size: narrow });
  await open("/");
  const areas = page.getByRole("navigation", { name: "Areas" });
  const menu = page.getByRole("button", { name: "Menu" });
  assert.equal(await areas.isVisible(), false);
  await menu.click();
  assert.equal(await menu.getAttribute("aria-expanded"), "true");
  await assertAccessible(page, "the open menu");
  for (const name of ["Home", "Feature flags", "Settings"])
    assert.equal(await areas.getByRole("link", { name, exact: true }).isVisible(), true, name);
  await areas.getByRole("link", { name: "Projects" }).click();
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  await settled(page);
  assert.equal(await areas.isVisible(), false);
});

/** The link of the present page lies within its row, as far as that is seen. */
const isInSight = (row) =>
  row.evaluate((links) => {
    const [present, seen] = [links.querySelector("[aria-current]"), links].map((one) => one.getBoundingClientRect());
    return present.left >= seen.left - 1 && present.right <= seen.right + 1;
  });

test("the tab of the present page stays in sight when the window becomes narrow, and the page where it is", async () => {
  const { page, open } = await visitor({ as: admin });
  for (const [path, label] of [
    [`/projects/${id}/settings`, "About this project"],
    [`/projects/${id}/features/${id}-flag/settings`, "About this flag"],
  ]) {
    await page.setViewportSize(wide);
    await open(path);
    const row = page.getByRole("navigation", { name: label });
    await eventually(() => isInSight(row), Boolean);
    await page.setViewportSize(narrow);
    await eventually(() => isInSight(row), Boolean);
    const main = page.locator("main");
    await main.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    const before = await main.evaluate(({ scrollTop }) => scrollTop);
    assert.ok(before > 0, "there is something to scroll");
    await row.evaluate((links) => links.scrollTo(0, 0));
    await page.setViewportSize({ ...narrow, width: narrow.width - 30 });
    await eventually(() => isInSight(row), Boolean);
    assert.ok((await main.evaluate(({ scrollTop }) => scrollTop)) >= before, "the page is not scrolled up to its tabs");
  }
});

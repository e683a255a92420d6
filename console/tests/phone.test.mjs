// On a telephone: tables are cards whose words stay whole, and the areas are a menu.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { freshName, post, userNamed } from "./administration.mjs";
import { admin, assertAccessible, assertAtPeace, narrow, settled, visitor } from "./chromium.mjs";

const id = freshName();
const long = "Margaret Hamilton-Featherstonehaugh";

before(async () => {
  await post("/projects", { id, name: "Telephones" });
  const { id: userId } = await userNamed(`${id}-margaret`, { name: long });
  await post(`/projects/${id}/access`, { roles: [4, 5], groups: [], users: [userId] });
  await post(`/projects/${id}/features`, { name: `${id}-flag` });
});

/** Texts whose words are broken within: drawn on more lines than they have words, and narrower than a word. */
const broken = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("main td *")]
      .filter((element) => element.children.length === 0 && element.textContent.trim().length > 8)
      .filter((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        const tops = new Set([...range.getClientRects()].filter(({ width }) => width > 1).map(({ top }) => top));
        return tops.size > element.textContent.trim().split(/[\s-]+/).length;
      })
      .map((element) => element.textContent),
  );

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
  "/history",
]) {
  test(`${path} has whole words and fits`, async () => {
    const seen = await visitor({ as: admin, size: narrow });
    const { page, open } = seen;
    await open(path);
    assert.deepEqual(await broken(page), []);
    const wider = await page.evaluate(
      () =>
        [document.documentElement, ...document.querySelectorAll("main, main [role=region], main .scrolls")].filter(
          (one) => one.scrollWidth > one.clientWidth + 1,
        ).length,
    );
    assert.equal(wider, 0, "nothing scrolls sideways");
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

// What every page must be, whatever it is about.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, assertAccessible, assertAtPeace, keep, narrow, returningVisitor, server, wide } from "./chromium.mjs";

/** Each page, loaded once, in both themes, wide and narrow: accessible, by the policy, and quiet. Leaves pictures. */
export function testPages(pages) {
  for (const [name, { path, stranger, dialog, as = () => admin }] of Object.entries(pages)) {
    test(`${name}, light and dark, wide and narrow`, () =>
      returningVisitor({ as: stranger ? undefined : as() }, async (seen) => {
        const { page } = seen;
        await page.setViewportSize(wide);
        await page.emulateMedia({ colorScheme: "light" });
        await page.goto(`${server}/console${path()}`);
        await (dialog ? page.getByRole("dialog").waitFor() : page.locator("h1, [role=alert]").first().waitFor());
        await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
        await assertNoWrittenMoments(page);
        await inScheme(page, "light");
        await assertAccessible(page, `${name}, light`);
        await keep(page, `${name}-light-wide`);
        await page.setViewportSize(narrow);
        await assertFits(page, `${name}-light-narrow`);
        await page.emulateMedia({ colorScheme: "dark" });
        await inScheme(page, "dark");
        await assertFits(page, `${name}-dark-narrow`);
        await page.setViewportSize(wide);
        // What is not about colours is the same in both.
        await assertAccessible(page, `${name}, dark`, ["color-contrast"]);
        await keep(page, `${name}-dark-wide`);
        await assertAtPeace(seen);
      }));
  }
}

/** Moments are shown in the zone of the reader. As the API writes them, they stand in JSON and commands alone. */
async function assertNoWrittenMoments(page) {
  const found = await page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const written = [];
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      if (/\d{4}-\d\d-\d\dT/.test(data) && !parentElement.closest("code, pre, script")) written.push(data);
    }
    return written;
  });
  assert.deepEqual(found, [], "moments as the API writes them");
}

const inScheme = (page, scheme) =>
  page.waitForFunction((expected) => document.documentElement.dataset.mantineColorScheme === expected, scheme);

async function assertFits(page, name) {
  await keep(page, name);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 0, `the page is ${overflow} px wider than a telephone`);
}

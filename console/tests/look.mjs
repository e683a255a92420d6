// What every page must be, whatever it is about.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, assertAccessible, assertAtPeace, keep, narrow, server, visitor, wide } from "./chromium.mjs";

/** Each page, loaded once, in both themes, wide and narrow: accessible, by the policy, and quiet. Leaves pictures. */
export function testPages(pages) {
  for (const [name, { path, stranger, dialog, as = () => admin }] of Object.entries(pages)) {
    test(`${name}, light and dark, wide and narrow`, async () => {
      const seen = await visitor({ scheme: "light", as: stranger ? undefined : as() });
      const { page } = seen;
      await page.goto(`${server}/console${path()}`);
      await (dialog ? page.getByRole("dialog").waitFor() : page.locator("h1, [role=alert]").first().waitFor());
      await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
      for (const scheme of ["light", "dark"]) {
        await page.setViewportSize(wide);
        await page.emulateMedia({ colorScheme: scheme });
        await page.waitForFunction(
          (expected) => document.documentElement.dataset.mantineColorScheme === expected,
          scheme,
        );
        // What is not about colours is the same in both.
        await assertAccessible(page, `${name}, ${scheme}`, scheme === "dark" ? ["color-contrast"] : undefined);
        await keep(page, `${name}-${scheme}-wide`);
        await page.setViewportSize(narrow);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        await keep(page, `${name}-${scheme}-narrow`);
        assert.ok(overflow <= 0, `the page is ${overflow} px wider than a telephone`);
      }
      await assertAtPeace(seen);
      await seen.context.close();
    });
  }
}

// Every page in both themes, wide and narrow: accessible, by the policy, and quiet.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { admin, server, visitor, wide } from "./chromium.mjs";
import { testPages } from "./look.mjs";
import * as approvals from "./looks/approvals.mjs";
import * as work from "./looks/work.mjs";

for (const { pages, prepare } of [work, approvals]) {
  before(prepare);
  testPages(pages);
}

test("a list draws what the screen shows, and no more", async () => {
  const { page, open } = await visitor({ as: admin, size: wide });
  await open("/features");
  await page
    .getByRole("checkbox", { name: /^Select / })
    .nth(3)
    .waitFor();
  assert.ok((await page.evaluate(() => document.querySelectorAll("*").length)) < 2000);
  await page
    .getByRole("region", { name: "Feature flags" })
    .evaluate((region) => region.scrollTo(0, region.scrollHeight));
  // The last row is drawn, and those above the screen are not.
  await page.waitForFunction(() => {
    const count = document.querySelector("table").getAttribute("aria-rowcount");
    return (
      document.querySelector(`tr[aria-rowindex="${count}"]`) && !document.querySelector('tbody tr[aria-rowindex="2"]')
    );
  });
  assert.ok((await page.evaluate(() => document.querySelectorAll("tbody tr").length)) < 60);
});

test("a missing file is no page, and licences are told", async () => {
  const missing = await fetch(`${server}/console/assets/gone-00000000.js`);
  assert.equal(missing.status, 404);
  const licences = await (await fetch(`${server}/console/licences`)).text();
  assert.match(licences, /react/);
});

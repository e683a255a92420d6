// Every page in both themes, wide and narrow: accessible, by the policy, and quiet.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { admin, ask, assertAccessible, assertAtPeace, keep, narrow, server, visitor, wide } from "./chromium.mjs";

let name;
let event;

before(async () => {
  const { features } = await ask("/api/admin/search/features?project=IS:webshop&sortBy=name&limit=1");
  name = features[0].name;
  const { events } = await ask(`/api/admin/search/events?feature=IS:${name}&limit=1`);
  event = events[0].id;
});

const pages = {
  "sign-in": { path: () => "/sign-in", stranger: true },
  features: { path: () => "/features" },
  "features-none": { path: () => "/features?query=nothing-is-called-this&type=IS_ANY_OF:release" },
  "features-project": { path: () => "/projects/webshop/features?sortBy=name&sortOrder=asc" },
  "feature-new": { path: () => "/features?new=true", dialog: true },
  feature: { path: () => `/projects/webshop/features/${name}` },
  strategy: { path: () => `/projects/webshop/features/${name}?env=production&strategy=new`, dialog: true },
  variants: { path: () => `/projects/webshop/features/${name}/variants?env=production` },
  usage: { path: () => `/projects/webshop/features/${name}/usage` },
  "feature-history": { path: () => `/projects/webshop/features/${name}/history` },
  "feature-settings": { path: () => `/projects/webshop/features/${name}/settings` },
  "feature-missing": { path: () => "/projects/webshop/features/nobody-made-this" },
  projects: { path: () => "/projects" },
  "projects-archived": { path: () => "/projects?archived=true" },
  "project-new": { path: () => "/projects?new=true", dialog: true },
  history: { path: () => "/history" },
  event: { path: () => `/history?event=${event}`, dialog: true },
  "not-found": { path: () => "/nothing/here" },
};

for (const [page, { path, stranger, dialog }] of Object.entries(pages)) {
  for (const scheme of ["light", "dark"]) {
    test(`${page}, ${scheme}`, async () => {
      const seen = await visitor({ scheme, as: stranger ? undefined : admin });
      await seen.page.goto(`${server}/console${path()}`);
      await (dialog
        ? seen.page.getByRole("dialog").waitFor()
        : seen.page.locator("h1, [role=alert]").first().waitFor());
      await settledOrTold(seen.page);
      await assertAccessible(seen.page, page);
      await keep(seen.page, `${page}-${scheme}-wide`);
      await seen.page.setViewportSize(narrow);
      const overflow = await seen.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      await keep(seen.page, `${page}-${scheme}-narrow`);
      assert.ok(overflow <= 0, `the page is ${overflow} px wider than a telephone`);
      await assertAtPeace(seen);
    });
  }
}

const settledOrTold = (page) => page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));

test("a list draws what the screen shows, and no more", async () => {
  const { page, open } = await visitor({ as: admin, size: wide });
  await open("/features");
  await page
    .getByRole("checkbox", { name: /^Select / })
    .nth(3)
    .waitFor();
  assert.ok((await page.evaluate(() => document.querySelectorAll("*").length)) < 2000);
  await page.getByRole("region", { name: "Features" }).evaluate((region) => region.scrollTo(0, region.scrollHeight));
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

// Who did it, and when: what the history finds.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { admin, ask, assertAccessible, assertAtPeace, visitor } from "./chromium.mjs";
import { freshFeature, id, project } from "./own-project.mjs";

let name;

beforeEach(async () => {
  name = await freshFeature();
  await ask(`${project}/features/${name}/environments/development/on`, { method: "POST" });
  await ask(`${project}/features/${name}/environments/development/off`, { method: "POST" });
  await ask(`${project}/features/${name}/environments/production/on`, { method: "POST" });
});

const events = (page) => page.getByRole("region", { name: "Events", exact: true });

test("a flag is found by its name, with its switches, which do not have it in their data", async () => {
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/history");
  await page.getByRole("searchbox", { name: "Feature flag, or text in what changed" }).fill(name);
  const inProduction = events(page)
    .getByRole("row")
    .filter({ hasText: new RegExp(`switched on ${name} in .*production`) });
  await inProduction.waitFor();
  await events(page)
    .getByRole("row")
    .filter({ hasText: `switched off ${name} in development` })
    .waitFor();
  const { total } = await ask(`/api/admin/search/events?feature=IS:${name}&limit=1`);
  await page
    .getByRole("status")
    .filter({ hasText: new RegExp(`of ${total}$`) })
    .waitFor();
  await page.getByText(/^Text in what changed: \d/).click();
  await page.waitForFunction(() => location.search.includes("in=data"));
  await inProduction.waitFor({ state: "hidden" });
  await assertAccessible(page, "the history, searched");
  await assertAtPeace(seen);
});

test("a flag that was deleted is found by its name", async () => {
  const gone = await freshFeature();
  await ask(`${project}/features/${gone}`, { method: "DELETE" });
  await ask(`/api/admin/archive/${gone}`, { method: "DELETE" });
  const { page, open } = await visitor({ as: admin });
  await open(`/history?query=${gone}`);
  await events(page).getByText(`deleted ${gone}`).waitFor();
});

test("the history is filtered by flag, person, type and time, and the address keeps it", async () => {
  const { page, open } = await visitor({ as: admin });
  await open("/history");
  await page.getByRole("button", { name: "Feature flag", exact: true }).click();
  await page.getByLabel("Find in Feature flag").fill(name);
  await page.getByRole("checkbox", { name, exact: true }).click();
  await page.waitForFunction(() => location.search.includes("feature="));
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Type", exact: true }).click();
  // By the words of its sentence.
  await page.getByLabel("Find in Type").fill("switched on");
  await page.getByRole("checkbox", { name: /switched on .* \(feature-environment-enabled\)/ }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("status").filter({ hasText: "1–2 of 2" }).waitFor();
  await page.reload();
  await page.getByRole("status").filter({ hasText: "1–2 of 2" }).waitFor();
  const address = new URL(page.url()).searchParams;
  assert.equal(address.get("feature"), `IS_ANY_OF:${name}`);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.waitForFunction(() => !location.search.includes("feature"));
});

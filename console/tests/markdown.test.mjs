// Texts in Markdown: banners and descriptions. And what is hidden or said in words until there is something to see.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, ask, assertAccessible, assertAtPeace, visitor } from "./chromium.mjs";
import { freshFeature, id, project } from "./own-project.mjs";

const written = [
  "Until **Monday**, see [the ticket](https://t.example.com/7) or https://t.example.com/8.",
  "",
  "- one",
  "- two",
  "",
  "<img src=x onerror=alert(1)> ![x](https://t.example.com/x.png) [bad](javascript:alert(1))",
].join("\n");

async function assertSet(place) {
  await place.getByText("Monday").waitFor();
  assert.equal(await place.locator("strong", { hasText: "Monday" }).count(), 1);
  const links = place.getByRole("link");
  assert.deepEqual(await links.evaluateAll((all) => all.map(({ href }) => href)), [
    "https://t.example.com/7",
    "https://t.example.com/8",
  ]);
  for (const rel of await links.evaluateAll((all) => all.map(({ rel }) => rel))) assert.match(rel, /noopener/);
  assert.equal(await place.getByRole("listitem").count(), 2);
  assert.equal(await place.locator("img").count(), 0);
}

test("the description of a flag is set in type, nothing in it is active, and a long one is folded", async () => {
  const name = await freshFeature();
  const describe = (value) =>
    ask(`${project}/features/${name}`, { method: "PATCH", body: [{ op: "replace", path: "/description", value }] });
  await describe(written);
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/projects/${id}/features/${name}`);
  const place = page
    .locator("div")
    .filter({ has: page.getByRole("heading", { name: "Description" }) })
    .last();
  await assertSet(place);
  await assertAtPeace(seen);
  await describe(Array.from({ length: 200 }, (_, at) => `line ${at}`).join("\n\n"));
  await open(`/projects/${id}/features/${name}`);
  const more = page.getByRole("button", { name: "More …" });
  await more.waitFor();
  const height = () => place.evaluate((element) => element.clientHeight);
  const folded = await height();
  assert.ok(folded < 250, `${folded}`);
  await more.click();
  await page.getByRole("button", { name: "Less" }).waitFor();
  assert.ok((await height()) > 1000);
});

test("a banner is set in type", async () => {
  const banner = await ask("/api/admin/banners", { method: "POST", body: { message: written, enabled: true } });
  try {
    const { page, open } = await visitor({ as: admin });
    await open("/insights");
    await assertSet(page.getByRole("status").filter({ hasText: "Monday" }));
    await assertAccessible(page, "a banner in Markdown");
  } finally {
    await ask(`/api/admin/banners/${banner.id}`, { method: "DELETE" });
  }
});

test("a young project has words instead of a chart with everything at its corner", async () => {
  await freshFeature();
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/health`);
  await page.getByText("No flag is a day old yet").waitFor();
  assert.equal(await page.getByRole("slider").count(), 0);
});

test("a new role is offered what change requests need", async () => {
  const { page, open } = await visitor({ as: admin });
  await open("/people/roles?new=true");
  const dialog = page.getByRole("dialog");
  for (const what of ["Approve change requests", "Apply change requests", "Skip change requests"]) {
    await dialog.getByText(what).first().waitFor();
  }
  assert.equal(await dialog.getByText(/release plan|impact metric/i).count(), 0, "what does nothing here");
});

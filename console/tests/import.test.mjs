// An export of another server, of which much is not there yet.
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshName, post } from "./administration.mjs";
import { admin, ask, assertAccessible, assertAtPeace, visitor } from "./chromium.mjs";

test("what a file needs is listed once, with links, created by one button, and then imported", async () => {
  const name = freshName();
  const segment = `segment-${name}`;
  await post("/projects", { id: name, name });
  await post("/context", { name: `field-${name}`, legalValues: [{ value: "amer" }] });
  const data = {
    features: [{ name: `flag-${name}`, type: "release", project: "elsewhere" }],
    featureStrategies: [
      { name: "default", featureName: `flag-${name}`, segments: [7], parameters: {}, constraints: [] },
      { name: `city-${name}`, featureName: `flag-${name}`, parameters: { place: "Oslo" }, constraints: [] },
    ],
    featureEnvironments: [
      { name: `flag-${name}`, featureName: `flag-${name}`, environment: "development", enabled: true },
    ],
    contextFields: [{ name: `field-${name}`, legalValues: [{ value: "amer" }, { value: "emea" }] }],
    segments: [
      { id: 7, name: segment },
      { id: 7, name: segment },
    ],
    tagTypes: [],
    featureTags: [],
  };
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/import?project=${name}&environment=development`);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a file" }).click();
  const buffer = Buffer.from(JSON.stringify(data));
  await (await chooser).setFiles({ name: "export.json", mimeType: "application/json", buffer });
  const missing = page.getByRole("alert").filter({ hasText: "Missing: needed by the file" });
  await missing.waitFor();
  assert.equal(await page.getByText(segment, { exact: true }).count(), 1, "each is told once");
  const link = missing.getByRole("link", { name: segment });
  assert.match(await link.getAttribute("href"), /\/console\/build\/segments\?query=segment-/);
  assert.equal(await page.getByText("Errors: nothing can be imported").count(), 0);
  await assertAccessible(page, "what is missing");
  await missing.getByRole("button", { name: "Create what is missing (3)" }).click();
  await page.getByText("of 1 flag in").waitFor();
  await page.getByRole("button", { name: "Import it" }).click();
  await page.getByRole("main").getByText("Imported", { exact: true }).waitFor();
  const { strategies } = await ask(`/api/admin/projects/${name}/features/flag-${name}/environments/development`);
  const applying = strategies.find((one) => one.segments?.length);
  assert.equal(applying.disabled, true, "a segment without constraints lets nobody in");
  const { legalValues } = await ask(`/api/admin/context/field-${name}`);
  assert.deepEqual(legalValues.map(({ value }) => value).sort(), ["amer", "emea"]);
  await assertAtPeace(seen);
});

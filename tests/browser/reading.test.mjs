// The reading view at /docs/.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { assertAtPeace, keep, operations, server, visit } from "./chromium.mjs";

const all = await operations();

// It draws the whole document at once, so one visit serves all tests.
let visitor;
before(async () => {
  visitor = await visit("/docs/");
  await visitor.page.locator('[id*="/operation/"]').first().waitFor();
});

const section = (page, id) => {
  const { tag } = all.find(({ operationId }) => operationId === id);
  return page.locator(`[id="tag/${tag}/operation/${id}"]`);
};

test("the page shows every operation, and asks no other host", async () => {
  assert.match(await visitor.page.locator("h1").first().innerText(), /^Flagstone/);
  const shown = await visitor.page
    .locator('[id*="/operation/"]')
    .evaluateAll((sections) => sections.map((section) => section.id.split("/").pop()).sort());
  assert.deepEqual(shown, all.flatMap(({ operationId, tags }) => tags.map(() => operationId)).sort());
  await keep(visitor.page, "reading");
  assertAtPeace(visitor);
});

test("an operation shows what it takes, what it answers, and an example", async () => {
  const operation = section(visitor.page, "patchFeature");
  await operation.scrollIntoViewIfNeeded();
  const { summary, requestBody } = all.find(({ operationId }) => operationId === "patchFeature");
  await operation.getByRole("heading", { name: summary }).waitFor();
  const text = await operation.innerText();
  for (const words of ["projectId", "featureName", "/api/admin/projects/{projectId}/features/{featureName}"]) {
    assert.ok(text.includes(words), `${words} is missing:\n${text}`);
  }
  const [step] = requestBody.content["application/json"].example;
  assert.ok(text.includes(`"${step.path}"`), `the example is missing:\n${text}`);
  // The fields of the answer appear when it is opened.
  await operation.getByRole("button", { name: /^200/ }).click();
  await operation.getByText("impressionData", { exact: true }).first().waitFor();
  await operation.scrollIntoViewIfNeeded();
  await keep(visitor.page, "reading-operation");
  assertAtPeace(visitor);
});

test("what is deprecated is shown so", async () => {
  const headings = await visitor.page
    .locator('[id*="/operation/"]')
    .evaluateAll((sections) => sections.map(({ id, innerText }) => [id.split("/").pop(), innerText]));
  const said = headings.filter(([, text]) => /^.*\sDeprecated\s*\n/.test(text)).map(([id]) => id);
  const meant = all.filter(({ deprecated }) => deprecated).map(({ operationId }) => operationId);
  assert.deepEqual(said.sort(), meant.sort());
  assertAtPeace(visitor);
});

test("the search finds an operation by its words", async () => {
  await visitor.page.getByPlaceholder("Search").fill("import validation");
  const found = visitor.page.locator('[data-role="search:results"] li').first();
  await found.waitFor();
  await keep(visitor.page, "reading-search");
  assertAtPeace(visitor);
});

test("the root led here, and the pages lead to each other", async () => {
  const { page } = visitor;
  assert.equal(page.url().split("#")[0], `${server}/docs/`);
  await page.getByRole("link", { name: "Try it out" }).click();
  await page.waitForURL(`${server}/docs/openapi/`);
  await page.locator(".opblock").first().waitFor();
  await page.getByRole("link", { name: "Read", exact: true }).click();
  await page.waitForURL(`${server}/docs/`, { waitUntil: "commit" });
  assertAtPeace(visitor);
});

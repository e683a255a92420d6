// The page at /docs/openapi/, used as a person would.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { ask, assertAtPeace, keep, operations, server, visit } from "./chromium.mjs";

const token = process.env.FLAGSTONE_ADMIN_TOKEN;
const all = await operations();
const example = (id) => all.find(({ operationId }) => operationId === id).requestBody.content["application/json"].example;

let authorized;
before(async () => {
  await ask("/api/admin/projects", { method: "POST", body: { id: "shop", name: "Shop" } });
  const body = { name: "checkout-redesign", type: "release", description: "As it was" };
  await ask("/api/admin/projects/shop/features", { method: "POST", body });
  authorized = await open();
  await authorize(authorized.page, token);
});

const place = (id) => {
  const { tag } = all.find(({ operationId }) => operationId === id);
  return { link: `/docs/openapi/#/${tag}/${id}`, element: `#operations-${tag}-${id}` };
};

async function open() {
  const visitor = await visit("/docs/openapi/");
  await visitor.page.locator(".opblock").first().waitFor();
  return visitor;
}

// Adds the operations that the page shows from top to bottom. It draws only what is in sight.
async function scrollThrough(page, shown) {
  for (let y = 0; ; y += 600) {
    await page.evaluate((top) => window.scrollTo(0, top), y);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    const blocks = await page.locator(".opblock").evaluateAll((all) =>
      all.map((block) => [block.id, block.classList.contains("opblock-deprecated")]),
    );
    for (const [id, deprecated] of blocks) shown.set(id, deprecated);
    if (await page.evaluate(() => window.scrollY + window.innerHeight >= document.documentElement.scrollHeight)) {
      return;
    }
  }
}

async function authorize(page, secret) {
  await page.locator(".auth-wrapper .authorize").click();
  const dialog = page.locator(".modal-ux");
  await dialog.locator("#api_key_value").fill(secret);
  await dialog.getByRole("button", { name: "Apply credentials" }).first().click();
  await dialog.getByRole("button", { name: "Remove authorization" }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).first().click();
}

// Opens an operation by its link, as somebody who authorized before, or as a stranger.
async function openOperation(id, visitor = authorized) {
  await visitor.page.goto("about:blank"); // or else only the fragment would change
  await visitor.page.goto(server + place(id).link);
  await visitor.page.locator(`${place(id).element} .execute`).waitFor();
  return visitor;
}

// Fills in what is given, executes the operation, and returns what the page shows of the answer.
async function execute(page, id, { parameters = {}, body } = {}) {
  const block = page.locator(place(id).element);
  const clear = block.locator(".btn-clear");
  if (await clear.isVisible()) await clear.click();
  for (const [name, value] of Object.entries(parameters)) {
    await block.locator(`tr[data-param-name="${name}"] input`).fill(value);
  }
  if (body !== undefined) await block.locator("textarea.body-param__text").fill(body);
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname.startsWith("/api/"));
  await block.locator(".execute").click();
  const { url, status } = await answered.then((response) => ({ url: response.url(), status: response.status() }));
  const row = block.locator(".live-responses-table tr.response");
  await row.locator(".response-col_status", { hasText: String(status) }).waitFor();
  const text = await row.locator(".highlight-code pre").first().innerText();
  return { status, body: JSON.parse(text), path: url.slice(server.length) };
}

test("the page shows every operation under its tag, struck through if deprecated, and asks no other host", async () => {
  const visitor = await open();
  const { page } = visitor;
  assert.match(await page.locator(".info .title").innerText(), /^Flagstone/);
  await keep(page, "swagger");
  const meant = all.flatMap(({ operationId, tags, deprecated }) =>
    tags.map((tag) => [`operations-${tag}-${operationId}`, Boolean(deprecated)]),
  );
  assert.ok(meant.some(([, deprecated]) => deprecated));
  const shown = new Map();
  // What is scrolled past may be drawn too late to be seen.
  for (let round = 0; shown.size < meant.length && round < 10; round += 1) await scrollThrough(page, shown);
  assert.deepEqual([...shown].sort(), meant.sort());
  assertAtPeace(visitor);
});

test("a deprecated operation says so when it is opened", async () => {
  const visitor = await openOperation("getDeprecatedProjectOverview");
  const block = visitor.page.locator(place("getDeprecatedProjectOverview").element);
  await block.getByText("Warning: Deprecated").waitFor();
  await keep(visitor.page, "swagger-deprecated");
  assertAtPeace(visitor);
});

test("a search through the page is the search of the API", async () => {
  const visitor = await openOperation("searchFeatures");
  const parameters = { query: "checkout", project: "IS:shop", limit: "5" };
  const shown = await execute(visitor.page, "searchFeatures", { parameters });
  assert.equal(shown.status, 200);
  assert.equal(shown.body.features[0].name, "checkout-redesign");
  assert.deepEqual(shown.body, await ask(shown.path));
  await keep(visitor.page, "swagger-search");
  assertAtPeace(visitor);
});

test("a patch through the page changes the feature", async () => {
  const visitor = await openOperation("patchFeature");
  const shown = await execute(visitor.page, "patchFeature", {
    parameters: { projectId: "shop", featureName: "checkout-redesign" },
    body: '[{ "op": "replace", "path": "/description", "value": "As the page wrote" }]',
  });
  assert.equal(shown.status, 200);
  assert.equal(shown.body.description, "As the page wrote");
  const stored = await ask("/api/admin/projects/shop/features/checkout-redesign");
  for (const key of ["name", "description", "type", "project", "createdAt", "createdBy"]) {
    assert.deepEqual(shown.body[key], stored[key], key);
  }
  const { events } = await ask("/api/admin/search/events?feature=IS:checkout-redesign&limit=1");
  assert.equal(events[0].data.description, "As the page wrote");
  await keep(visitor.page, "swagger-patch");
  assertAtPeace(visitor);
});

for (const [kind, id, named] of [
  ["oidc", "setOidcSettings", "discoverUrl"],
  ["saml", "setSamlSettings", "entityId"],
]) {
  test(`both variants of the ${kind} settings are kept as the page sends them`, async () => {
    const visitor = await openOperation(id);
    const { page } = visitor;
    const field = page.locator(`${place(id).element} textarea.body-param__text`);
    await page.waitForFunction((one) => one.value !== "", await field.elementHandle());
    const offered = await field.inputValue();
    assert.deepEqual(JSON.parse(offered), example(id));

    const on = await execute(page, id);
    assert.equal(on.status, 200);
    assert.equal(on.body.enabled, true);
    assert.equal(on.body[named], example(id)[named]);
    assert.deepEqual(on.body, await ask(`/api/admin/auth/${kind}/settings`));
    await keep(page, `swagger-${kind}`);

    const off = await execute(page, id, { body: '{ "enabled": false }' });
    assert.equal(off.status, 200);
    assert.equal(off.body.enabled, false);
    assert.deepEqual(off.body, await ask(`/api/admin/auth/${kind}/settings`));
    assertAtPeace(visitor);
  });
}

test("a refusal is shown as it is", async () => {
  const { page, asked, complaints } = await openOperation("getProfile", await visit("/docs/openapi/"));
  const shown = await execute(page, "getProfile");
  assert.equal(shown.status, 401);
  assert.equal(shown.body.name, "AuthenticationRequired");
  assertAtPeace({ asked, complaints: complaints.filter((complaint) => !complaint.includes("401")) });
});

// The first minutes with an empty server: from a project to an application that evaluates a flag.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ownServer } from "./own-server.mjs";

await ownServer();
const { admin, ask, assertAccessible, assertAtPeace, server, settled, visitor } = await import("./chromium.mjs");

const report = (secret, appName, toggles) => {
  const bucket = { start: new Date(Date.now() - 60_000).toISOString(), stop: new Date().toISOString(), toggles };
  return fetch(`${server}/api/client/metrics`, {
    method: "POST",
    headers: { authorization: secret, "content-type": "application/json" },
    body: JSON.stringify({ appName, instanceId: "one", bucket }),
  });
};

async function chooseSdk(page, label) {
  const field = page.getByRole("combobox", { name: "SDK" });
  await field.fill(label);
  await page.getByRole("option", { name: label, exact: true }).click();
}

test("an empty server leads from a project to the first evaluation, on one page", async () => {
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/");
  await page.getByRole("link", { name: "The first steps" }).click();
  await page.getByRole("heading", { name: "First steps", level: 1 }).waitFor();
  const step = (name) => page.getByRole("region", { name });

  await step(/project/)
    .getByLabel("Or create one")
    .fill("Web shop");
  await step(/project/)
    .getByRole("button", { name: "Create project" })
    .click();
  await page.waitForFunction(() => location.search.includes("project=web-shop"));
  await step(/feature flag/)
    .getByText("next")
    .waitFor();
  await step(/feature flag/)
    .getByLabel("Name of the flag")
    .fill("checkout");
  await step(/feature flag/)
    .getByRole("button", { name: "Create flag" })
    .click();
  await step(/feature flag/)
    .getByText("✓ done")
    .waitFor();
  assert.equal((await ask("/api/admin/projects/web-shop/features/checkout")).name, "checkout");

  await step("An application asks").getByLabel("Name of the application").fill("shop-backend");
  await chooseSdk(page, "Go");
  await page.getByText(`unleash.WithAppName("shop-backend")`).waitFor();
  assert.equal(await page.getByLabel("Name of the token").inputValue(), "shop-backend");
  await page.getByRole("button", { name: "Create a token" }).click();
  const secret = await page.getByRole("textbox", { name: "The token shop-backend" }).innerText();
  await page.getByText("Waiting for an application that asks by the token shop-backend").waitFor();
  const answer = await fetch(`${server}/api/client/features`, { headers: { authorization: secret } });
  assert.ok((await answer.json()).features.some(({ name }) => name === "checkout"));
  await page.getByText("✓ Your application asked").waitFor();
  await page.getByText("Waiting for its first evaluation of checkout").waitFor();
  await step("An application asks").getByText("✓ done").waitFor();
  await report(secret, "shop-backend", { checkout: { yes: 3, no: 4, variants: {} } });
  await page.getByText("✓ shop-backend evaluated checkout").waitFor();
  await page.getByText("3 times on, 4 times off").waitFor();
  await page.getByText("All of it is done.").waitFor();
  assert.match(page.url(), /\/console\/welcome\?/, "it is still the one page");
  assert.ok(!page.url().includes(secret));
  await assertAccessible(page, "the first steps");
  await assertAtPeace(seen);
});

test("an application of any kind is shown its SDK with a token of its kind, or goes on with one that exists", async () => {
  await ask("/api/admin/projects/default/features", { method: "POST", body: { name: "banner" } });
  const body = { tokenName: "the-old-page", type: "frontend", environment: "development", projects: ["default"] };
  const { secret } = await ask("/api/admin/projects/default/api-tokens", { method: "POST", body });
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/setup?project=default&environment=development");
  await page.getByLabel("Name of the application").fill("pages");
  const code = page.getByRole("region", { name: "The application" });
  const kinds = { "Java, Kotlin": "client", PHP: "client", Vue: "frontend", "Android (Kotlin)": "frontend" };
  for (const [label, kind] of Object.entries({ ...kinds, "OpenFeature, web": "frontend" })) {
    await chooseSdk(page, label);
    await page.getByText(`A ${kind} token:`).waitFor();
    assert.match(await code.innerText(), /pages/, label);
    assert.match(await code.innerText(), /banner/, label);
  }
  await page.getByRole("combobox", { name: "Or use one that exists" }).click();
  await page.getByRole("option", { name: "the-old-page" }).click();
  await page.getByText("Waiting for an application that asks by the token the-old-page").waitFor();
  await fetch(`${server}/api/frontend?appName=pages`, { headers: { authorization: secret } });
  await page.getByText("✓ Your application asked").waitFor();
  await assertAccessible(page, "the connection");
  await assertAtPeace(seen);
});

test("a new flag is offered for an own project, then for the one that was used last", async () => {
  const { page, open } = await visitor({ as: admin });
  for (const name of ["Mine", "Another"]) {
    await open("/projects?new=true");
    const form = page.getByRole("dialog", { name: "New project" });
    await form.getByLabel(/^Name/).fill(name);
    await form.getByRole("button", { name: `Create ${name}` }).click();
    await page.waitForURL(`**/projects/${name.toLowerCase()}/features`);
    await settled(page);
  }
  await page.evaluate(() => localStorage.clear());
  const offered = async (expected) => {
    await open("/features?new=true");
    const field = page.getByRole("dialog").getByRole("combobox", { name: "Project" });
    await page.waitForFunction(
      (expected) => [...document.querySelectorAll("[role=dialog] input")].some(({ value }) => value === expected),
      expected,
    );
    assert.equal(await field.inputValue(), expected);
  };
  await offered("Another");
  await open("/projects/mine/features");
  await settled(page);
  await offered("Mine");
});

test("what the server did itself is told of Flagstone", async () => {
  const { page, open } = await visitor({ as: admin });
  await open("/history");
  const events = page.getByRole("region", { name: "Events", exact: true });
  await events
    .getByRole("row")
    .filter({ hasText: /^Flagstone / })
    .first()
    .waitFor();
  assert.equal(await page.getByText("unleash_system_user").count(), 0);
});

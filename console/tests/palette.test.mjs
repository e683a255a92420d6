// What the palette finds and does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, ask, assertAccessible, assertAtPeace, eventually, signIn, visitor } from "./chromium.mjs";
import { freshFeature, id, person, project } from "./own-project.mjs";

const isOn = (name) => () => ask(`${project}/features/${name}/environments/production`).then(({ enabled }) => enabled);

async function typed(page, text) {
  await page.keyboard.press("Control+k");
  const field = page.getByRole("textbox", { name: "Go to" });
  await field.fill(text);
  return field;
}

test("an order switches production off, after the question that every switch asks there", async () => {
  const name = await freshFeature();
  await ask(`${project}/features/${name}/environments/production/on`, { method: "POST" });
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/insights");
  await typed(page, `disable ${name} in prod`);
  await page.getByRole("button", { name: `Disable ${name} in production` }).click();
  const question = page.getByRole("dialog", { name: "Switch off in production" });
  await question.getByText("for everybody").waitFor();
  assert.equal(await isOn(name)(), true, "it is asked first");
  await question.getByRole("button", { name: "Switch off in production" }).click();
  await eventually(isOn(name), (on) => !on);
  await page
    .getByRole("alert")
    .filter({ hasText: `${name} is off in production` })
    .waitFor();
  await question.waitFor({ state: "hidden" });
  // What is off already is not offered.
  await typed(page, `disable ${name} in prod`);
  await page.getByText("No results.").waitFor();
  await page.keyboard.press("Escape");
  await assertAtPeace(seen);
});

test("who may not switch is told why, and nothing is switched", async () => {
  const name = await freshFeature();
  const who = await person(`${id}-looks`, 3);
  const { page, open } = await visitor({ as: who });
  await open("/insights");
  await typed(page, `enable ${name} in development`);
  const offered = page.getByRole("button", { name: `Enable ${name} in development` });
  await offered.waitFor();
  assert.equal(await offered.isDisabled(), true);
  await offered.getByText("Switch feature flags on and off").waitFor();
});

test("people, API tokens, projects and flags are found by their names as typed", async () => {
  const name = await freshFeature();
  const lovelace = await person(`${id}-lovelace`, 3);
  const tokenName = `${id}-Token`;
  const token = { tokenName, type: "client", environment: "development", projects: [id] };
  await ask("/api/admin/api-tokens", { method: "POST", body: token });
  const { page, open } = await visitor({ as: admin });
  await open("/");
  for (const [text, found, kind] of [
    [lovelace.username.toUpperCase(), lovelace.username, "user"],
    [tokenName.toLowerCase(), tokenName, "API token"],
    [name, name, id],
  ]) {
    const field = await typed(page, text);
    const hit = page.getByRole("button", { name: new RegExp(`^${found}`) }).filter({ hasText: kind });
    await hit.first().waitFor();
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "hidden" });
  }
});

test("pages of the settings and of the project at hand are found by their names", async () => {
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/projects/${id}`);
  for (const [text, name, heading] of [
    ["freez", /^Freezes/, "Freezes"],
    ["setting", /^Settings of Work/, "Settings"],
    ["change req", /^Change requests of Work/, "Change requests"],
  ]) {
    await typed(page, text);
    await page.getByRole("dialog").getByRole("button", { name }).click();
    const isThere = page
      .getByRole("heading", { name: heading })
      .or(page.getByRole("link", { name: heading, exact: true }).and(page.locator("[aria-current=page]")));
    await isThere.first().waitFor();
    await page.getByRole("textbox", { name: "Go to" }).waitFor({ state: "hidden" });
  }
  await assertAtPeace(seen);
});

test("pages that were visited come first, and only for who visited them", async () => {
  const name = await freshFeature();
  const seen = await visitor({ as: admin });
  const { page, open, context } = seen;
  await open(`/projects/${id}/features/${name}`);
  await page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name: "Insights" }).click();
  await page.getByRole("heading", { name: "Insights", level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  const offered = page.getByRole("dialog").getByRole("button");
  await offered.filter({ hasText: name }).waitFor();
  assert.equal(await offered.first().textContent(), name);
  await assertAccessible(page, "the palette");
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByRole("heading", { name, exact: true }).waitFor();
  const other = await person(`${id}-other`, 3);
  await context.clearCookies();
  await signIn(context, other);
  await open("/insights");
  await page.keyboard.press("Control+k");
  await page.getByRole("textbox", { name: "Go to" }).waitFor();
  await offered.filter({ hasText: "Insights" }).first().waitFor();
  assert.equal(await offered.first().textContent(), "Home");
  assert.equal(await offered.filter({ hasText: name }).count(), 0);
});

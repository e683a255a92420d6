// What is done every day, in a hurry: a share in one click, many flags at once, and forms that nothing throws away.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, ask, assertAccessible, assertAtPeace, eventually, hasFocus, takeBack, visitor } from "./chromium.mjs";
import { freshFeature, id, project } from "./own-project.mjs";

async function rollingOut(where) {
  const name = await freshFeature();
  const path = `${project}/features/${name}/environments/${where}/strategies`;
  const parameters = { rollout: "10", stickiness: "default", groupId: name };
  const { id: strategyId } = await ask(path, { method: "POST", body: { name: "flexibleRollout", parameters } });
  const share = async () => (await ask(`${path}/${strategyId}`)).parameters.rollout;
  return { name, share };
}

test("a share grows by one click, in production after a confirmation, and is taken back", async () => {
  const { name, share } = await rollingOut("production");
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/projects/${id}/features/${name}`);
  const steps = page.getByRole("group", { name: "Share of users, 10 % now" });
  await steps.getByRole("button", { name: "25 %" }).click();
  const question = page.getByRole("dialog", { name: "Change the share in production to 25 %" });
  await question.getByRole("deletion").getByText("10 %").waitFor();
  assert.equal(await share(), "10");
  await question.getByRole("button", { name: "Change to 25 %" }).click();
  await takeBack(page, share, (now) => now === "25", "25 % of users", "Back to 10 % in production");
  await eventually(share, (now) => now === "10");
  await assertAccessible(page, "a card with shares");
  await assertAtPeace(seen);
});

test("of flags archived together, a parent of one that stays is left out and named", async () => {
  const kin = `${id}-kin`;
  const names = [`${kin}-a`, `${kin}-b`, `${kin}-parent`];
  for (const name of [...names, `${id}-child`]) await ask(`${project}/features`, { method: "POST", body: { name } });
  const dependencies = `${project}/features/${id}-child/dependencies`;
  await ask(dependencies, { method: "POST", body: { feature: `${kin}-parent` } });
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/features?query=${kin}`);
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByText("3 selected").waitFor();
  await page.getByRole("button", { name: "Change them …" }).click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  const preview = page.getByRole("dialog");
  await preview.getByText("2 can be archived; 1 cannot:").waitFor();
  await preview.getByText(`${kin}-parent: ${id}-child depends on it.`).waitFor();
  await preview.getByRole("button", { name: "Archive the 2" }).click();
  const archived = async () => (await ask(`/api/admin/archive/features/${id}`)).features.map(({ name }) => name).sort();
  await eventually(archived, (found) => found.length === 2);
  assert.deepEqual(await archived(), names.slice(0, 2));
});

test("Escape does not throw a half-filled strategy away", async () => {
  const { name } = await rollingOut("development");
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/features/${name}?env=development&strategy=new`);
  const drawer = page.getByRole("dialog").first();
  await drawer.getByLabel("Title").fill("half of it");
  await page.keyboard.press("Escape");
  const question = page.getByRole("dialog", { name: "Discard your changes?" });
  await question.getByRole("button", { name: "Keep editing" }).click();
  await question.waitFor({ state: "hidden" });
  assert.equal(await drawer.getByLabel("Title").inputValue(), "half of it");
  await page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Discard" }).click();
  await drawer.waitFor({ state: "hidden" });
});

test("a date of a constraint is picked, and a number is checked as it is typed", async () => {
  const { name } = await rollingOut("development");
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/features/${name}?env=development&strategy=new`);
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "Add constraint" }).click();
  const constraint = drawer.getByRole("group", { name: "Constraint 1" });
  assert.equal(await constraint.getByRole("combobox", { name: "Field" }).inputValue(), "userId");
  await constraint.getByRole("combobox", { name: "Operator" }).click();
  await page.getByRole("option", { name: ">", exact: true }).click();
  await constraint.getByLabel("Value").fill("many");
  await constraint.getByText("This is no number.").waitFor();
  await constraint.getByRole("combobox", { name: "Operator" }).click();
  await page.getByRole("option", { name: "is after", exact: true }).click();
  await constraint.getByLabel("Date and time").fill("2027-01-31T12:00");
  await drawer.getByRole("button", { name: "Add", exact: true }).click();
  await eventually(
    () => ask(`${project}/features/${name}/environments/development/strategies`),
    (all) =>
      all.some(({ constraints: [one] }) => one?.operator === "DATE_AFTER" && one.value.startsWith("2027-01-31T")),
  );
});

test("nothing that was typed: Escape closes a form at once", async () => {
  const { page, open } = await visitor({ as: admin });
  await open("/build/segments?new=true");
  await page.getByRole("dialog").getByLabel("Name").waitFor();
  await hasFocus(page);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
});

test("no text leaves its card, with much usage and little room", async () => {
  const name = await freshFeature();
  const { page, open } = await visitor({ as: admin, size: { width: 860, height: 900 } });
  // The server would count them until the hour is over, which may be now.
  await page.route(new RegExp(`/features/${name}\\?`), async (route) => {
    const response = await route.fetch();
    const feature = await response.json();
    for (const environment of feature.environments) Object.assign(environment, { yes: 1151, no: 383 });
    await route.fulfill({ response, json: feature });
  });
  await open(`/projects/${id}/features/${name}`);
  await page.getByText("75 % of 1534 enabled in the last hour").first().waitFor();
  const out = await page.evaluate(() =>
    [...document.querySelectorAll("section.card")].flatMap((card) => {
      const edge = card.getBoundingClientRect().right;
      return [...card.querySelectorAll("span, div")]
        .filter((one) => one.getBoundingClientRect().right > edge + 1)
        .map((one) => one.textContent);
    }),
  );
  assert.deepEqual(out, []);
});

test("a strategy is copied to production after a preview, and taken back", async () => {
  const { name } = await rollingOut("development");
  const copied = () => ask(`${project}/features/${name}/environments/production/strategies`);
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/features/${name}`);
  await page
    .getByRole("list", { name: "Strategies in development" })
    .getByRole("button", { name: "Copy to …" })
    .click();
  await page.getByRole("menuitem", { name: "production" }).click();
  const preview = page.getByRole("dialog", { name: "Copy the strategy to production" });
  await preview.getByRole("insertion").getByText("10 %").waitFor();
  assert.deepEqual(await copied(), []);
  await preview.getByRole("button", { name: "Copy to production" }).click();
  await takeBack(page, copied, ([one]) => one?.parameters.rollout === "10", "too", "Remove it from production again");
  await eventually(copied, (left) => left.length === 0);
});

test("the palette finds projects and segments by name", async () => {
  const segment = `${id}-staff`;
  await ask("/api/admin/segments", { method: "POST", body: { name: segment, constraints: [] } });
  const { page, open } = await visitor({ as: admin });
  await open("/projects");
  for (const [text, found, heading] of [
    [segment, segment, "Segments"],
    // Its id is in the heading only until its name is known.
    [id, "Work &", "Project Work & <b>play</b> 🚩"],
  ]) {
    await page.keyboard.press("Control+k");
    const field = page.getByPlaceholder("A page, a flag, or: disable checkout in production");
    await field.fill(text);
    await page
      .getByRole("button", { name: new RegExp(`^${found}`) })
      .first()
      .click();
    await page.getByRole("heading", { name: heading }).first().waitFor();
    await field.waitFor({ state: "hidden" });
  }
});

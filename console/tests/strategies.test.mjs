// Strategies in their form: constraints by the kind of their field, and input that nothing throws away.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, ask, assertAccessible, assertAtPeace, eventually, visitor } from "./chromium.mjs";
import { freshFeature, id, project } from "./own-project.mjs";

const strategiesOf = (feature, environment) => `${project}/features/${feature}/environments/${environment}/strategies`;

/** The form of a new strategy with one constraint. */
async function constraining(environment) {
  const feature = await freshFeature();
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/projects/${id}/features/${feature}?env=${environment}&strategy=new`);
  const drawer = page.getByRole("dialog", { name: /New strategy/ });
  await drawer.getByRole("button", { name: "Add constraint" }).click();
  const constraint = drawer.getByRole("group", { name: "Constraint 1" });
  const choose = async (what, option) => {
    await constraint.getByRole("combobox", { name: what }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  const add = () => drawer.getByRole("button", { name: "Add", exact: true }).click();
  return { ...seen, feature, drawer, constraint, choose, add };
}

test("a constraint without a value is not sent, and the time is compared with dates alone", async () => {
  const { page, feature, drawer, constraint, choose, add, ...seen } = await constraining("development");
  await drawer.getByText("The constraint on userId: a value is missing.").waitFor();
  await add();
  await choose("Field", "currentTime");
  await constraint.getByRole("combobox", { name: "Operator" }).click();
  const options = page.getByRole("option");
  await page.getByRole("option", { name: "is before" }).waitFor();
  assert.deepEqual(await options.filter({ visible: true }).allTextContents(), ["is after", "is before"]);
  await page.getByRole("option", { name: "is before" }).click();
  const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  await constraint.getByText(`In ${zone}`).waitFor();
  await constraint.getByLabel("Date and time").fill("2031-02-01T10:00");
  await constraint.getByText(/In UTC: 2031-0/).waitFor();
  await assertAccessible(page, "a constraint on the time");
  await add();
  await eventually(
    () => ask(strategiesOf(feature, "development")),
    ([one]) => one?.constraints[0].operator === "DATE_BEFORE" && one.constraints[0].value.startsWith("2031-02-01T"),
  );
  await assertAtPeace({ page, ...seen });
});

test("numbers, versions and patterns that the server refuses are told at their field, before production is asked", async () => {
  const { page, feature, constraint, choose, drawer, add } = await constraining("production");
  const value = constraint.getByRole("textbox", { name: "Value" });
  for (const [operator, wrong, says] of [
    ["≥", "0x10", "This is no number."],
    ["is at least version", "1.2.3-01", "This is no version, such as 1.2.3."],
    ["matches the pattern", "a(?=b)", "must be a pattern that all SDKs read alike"],
  ]) {
    await choose("Operator", operator);
    await value.fill(wrong);
    await constraint.getByText(says).waitFor();
  }
  await add();
  await drawer.getByRole("alert").getByText("must be a pattern that all SDKs read alike").waitFor();
  assert.equal(await page.getByRole("dialog", { name: "Add a strategy in production" }).count(), 0);
  await value.fill("^a");
  await add();
  await page
    .getByRole("dialog", { name: "Add a strategy in production" })
    .getByRole("button", { name: "Add strategy" })
    .click();
  await eventually(
    () => ask(strategiesOf(feature, "production")),
    ([one]) => one?.constraints[0].operator === "REGEX" && one.constraints[0].value === "^a",
  );
});

test("a field with legal values offers those, its kind of operators first, and no others pass", async () => {
  const name = `tier-${id}`;
  await ask("/api/admin/context", { method: "POST", body: { name, legalValues: [{ value: "1" }, { value: "2" }] } });
  const { page, constraint, choose, drawer, feature, add } = await constraining("development");
  await choose("Field", name);
  await constraint.getByRole("combobox", { name: "Operator" }).click();
  await page.getByRole("option", { name: "≥", exact: true }).waitFor();
  assert.equal((await page.getByRole("option").filter({ visible: true }).allTextContents())[0], "=");
  await page.getByRole("option", { name: "is", exact: true }).click();
  const values = constraint.getByLabel("Values", { exact: true });
  await values.fill("3");
  await values.press("Enter");
  await constraint.getByText("“3” is none of the values of this field.").waitFor();
  await values.press("Backspace");
  await choose("Operator", "≥");
  await choose("Value", "2");
  await drawer.getByText(`${name} ≥ 2`).waitFor();
  await add();
  await eventually(
    () => ask(strategiesOf(feature, "development")),
    ([one]) => one?.constraints[0].operator === "NUM_GTE" && one.constraints[0].value === "2",
  );
});

test("every form asks before it loses what was typed, and closes at once where nothing was", async () => {
  const { page, open } = await visitor({ as: admin });
  for (const [path, field, title] of [
    ["/features?new=true", "Name", "New feature flag"],
    ["/projects?new=true", "Name", "New project"],
    [`/projects/${id}/tokens?new=true`, "Name", /^New token/],
  ]) {
    await open(path);
    const drawer = page.getByRole("dialog", { name: title });
    await drawer.getByRole("textbox", { name: field, exact: true }).fill("half of it");
    await drawer.getByRole("button", { name: "Close", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Discard your changes?" });
    await question.waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent === "Keep editing");
    await page.keyboard.press("Enter");
    await question.waitFor({ state: "hidden" });
    assert.equal(await drawer.getByRole("textbox", { name: field, exact: true }).inputValue(), "half of it");
    // The key that leaves the question does not ask it again.
    await page.keyboard.press("Escape");
    await question.waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "hidden" });
    assert.equal(await drawer.getByRole("textbox", { name: field, exact: true }).inputValue(), "half of it");
    // Beside the drawer.
    await page.mouse.click(20, 400);
    await question.getByRole("button", { name: "Discard" }).click();
    await drawer.waitFor({ state: "hidden" });
    await open(path);
    await drawer.getByRole("textbox", { name: field, exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "hidden" });
  }
});

test("the playground shows what was given, blames only what failed, and finds flags by name", async () => {
  const [rolled, other] = [await freshFeature(), await freshFeature()];
  const constraints = [{ contextName: "userId", operator: "IN", values: ["42"] }];
  const parameters = { rollout: "50", stickiness: "random", groupId: rolled };
  await ask(strategiesOf(rolled, "development"), {
    method: "POST",
    body: { name: "flexibleRollout", parameters, constraints },
  });
  const { page, open } = await visitor({ as: admin });
  await open(`/playground?project=${id}&environment=development&userId=7`);
  await page.getByRole("row", { name: new RegExp(other) }).waitFor();
  await page.getByLabel("Name contains").fill(rolled.toUpperCase());
  await page.getByRole("row", { name: new RegExp(`${other} `) }).waitFor({ state: "hidden" });
  await page.getByRole("button", { name: `Why ${rolled}`, exact: true }).click();
  const why = page.getByRole("dialog");
  await why.getByText("does not hold: userId is 42 (userId was 7)").waitFor();
  await why.getByText("not decided: 50 % by random").waitFor();
  assert.equal(await why.getByText(/does not hold: 50 %/).count(), 0);
  await open(`/playground?project=${id}&environment=development&feature=${rolled}`);
  await why.getByText("does not hold: userId is 42 (userId was not given)").waitFor();
});

test("the playground asks many projects page by page", async () => {
  const ids = Array.from({ length: 11 }, (_, at) => `zz-${id}-${String(at).padStart(2, "0")}`);
  for (const one of ids) await ask("/api/admin/projects", { method: "POST", body: { id: one, name: one } });
  const last = `${ids.at(-1)}-flag`;
  await ask(`/api/admin/projects/${ids.at(-1)}/features`, { method: "POST", body: { name: last } });
  const { page, open } = await visitor({ as: admin });
  const asked = [];
  page.on("request", (one) => {
    if (one.url().endsWith("/playground/advanced")) asked.push(one.postDataJSON().projects);
  });
  await open("/playground?environment=development");
  await page.getByText(/^Page 1 of \d+: projects/).waitFor();
  const next = page.getByRole("button", { name: "Next projects" });
  while (await next.isEnabled()) {
    const before = asked.length;
    await next.click();
    await eventually(
      () => asked.length,
      (count) => count > before,
    );
  }
  await page.getByRole("row", { name: new RegExp(last) }).waitFor();
  assert.ok(asked.length > 1 && asked.every((projects) => Array.isArray(projects) && projects.length <= 10));
});

// An environment as it was at any time, with the flags that differ, and the way back to it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, ask, assertAccessible, assertAtPeace, eventually, narrow, settled, visitor } from "./chromium.mjs";
import { freshFeature, id, person, project } from "./own-project.mjs";

let number = 0;
const strategy = (name, rollout) => ({
  name: "flexibleRollout",
  parameters: { rollout, stickiness: "default", groupId: name },
});

/**
 * An environment of type production with three flags that were on: one is off by now, one for half instead of a tenth, and
 * one is archived. Another flag is as it was.
 */
async function withPast({ approvals } = {}) {
  const environment = `rewind-${process.pid}-${++number}`;
  await ask("/api/admin/environments", { method: "POST", body: { name: environment, type: "production" } });
  await ask(`${project}/environments`, { method: "POST", body: { environment } });
  const flags = { off: "", half: "", gone: "", same: "" };
  const here = (flag) => `${project}/features/${flag}/environments/${environment}`;
  for (const key of Object.keys(flags)) {
    flags[key] = await freshFeature();
    const body = strategy(flags[key], "10");
    flags[`${key}Strategy`] = (await ask(`${here(flags[key])}/strategies`, { method: "POST", body })).id;
    await ask(`${here(flags[key])}/on`, { method: "POST" });
  }
  const url = `${here(flags.half)}/strategies/${flags.halfStrategy}`;
  await ask(url, { method: "PUT", body: strategy(flags.half, "50") });
  await ask(`${here(flags.off)}/off`, { method: "POST" });
  await ask(`${project}/features/${flags.gone}`, { method: "DELETE" });
  await ask(`/api/admin/environments/update/${environment}`, {
    method: "PUT",
    body: { type: "production", sortOrder: 77 },
  });
  if (approvals) {
    const body = { changeRequestsEnabled: true, requiredApprovals: 1 };
    await ask(`${project}/environments/${environment}/change-requests/config`, { method: "PUT", body });
  }
  const stored = async () => {
    const [off, half] = await Promise.all([ask(here(flags.off)), ask(here(flags.half))]);
    return [off.enabled, half.strategies[0].parameters.rollout];
  };
  return { environment, flags, stored };
}

/** Goes back by keyboard until before the two changes of flags. */
async function goBack(page) {
  await page.getByRole("heading", { name: "As it is now" }).waitFor();
  await page.getByRole("slider", { name: "Moment" }).focus();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowLeft");
  await page.getByRole("heading", { name: "2 flags were different" }).waitFor();
}

test("an environment is seen as it was, and the chosen flags are put back after a preview", async () => {
  const { environment, flags, stored } = await withPast();
  assert.deepEqual(await stored(), [false, "50"]);
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/build/environments");
  await page.getByRole("link", { name: `Rewind ${environment}` }).click();
  await goBack(page);
  const row = (flag) => page.getByRole("row").filter({ has: page.getByRole("link", { name: flag, exact: true }) });
  await row(flags.off).getByText("State: off").waitFor();
  await row(flags.off).getByText("State: on").waitFor();
  await row(flags.half).getByText("Strategy: 50 %").waitFor();
  await row(flags.half).getByText("Strategy: 10 %").waitFor();
  assert.equal(await row(flags.same).count(), 0);
  await page.getByRole("region", { name: "Archived or deleted since" }).getByText(flags.gone).waitFor();
  await page.getByRole("region", { name: "Settings of the environment", exact: true }).getByText("77").waitFor();
  await assertAccessible(page, "an environment as it was");

  await page.getByRole("button", { name: "Select all 2" }).click();
  await page.getByRole("button", { name: "Put 2 back …" }).click();
  const question = page.getByRole("dialog", { name: "Put 2 flags back" });
  await question.getByText("Requests (2)").waitFor();
  await question.getByRole("row", { name: /State different off on/ }).waitFor();
  await assertAccessible(page, "what putting flags back changes");
  await question.getByLabel("Why (kept in the event log)").fill("worked then");
  assert.deepEqual(await stored(), [false, "50"]);
  await question.getByRole("button", { name: "Put 2 back" }).click();
  await eventually(stored, (now) => now.join() === "true,10");
  await page.getByRole("heading", { name: "No flag was different." }).waitFor();
  const { events } = await ask(`/api/admin/search/events?environment=IS:${environment}&limit=2`);
  assert.deepEqual(
    events.map(({ reason }) => reason),
    ["worked then", "worked then"],
  );
  // The flag is still archived, and the environment still at its place.
  await page.getByRole("button", { name: "Put the settings back …" }).click();
  await page.getByRole("button", { name: "Put them back" }).click();
  const order = async () => (await ask(`/api/admin/environments/${environment}`)).sortOrder;
  await eventually(order, (now) => now !== 77);
  await assertAtPeace(seen);
});

test("one flag is put back from a narrow screen, by keyboard", async () => {
  const { environment, flags, stored } = await withPast();
  const seen = await visitor({ as: admin, size: narrow });
  const { page, open } = seen;
  await open(`/build/environments/${environment}/rewind`);
  await goBack(page);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wider <= 0, `${wider} px wider than the screen`);
  await assertAccessible(page, "an environment as it was, narrow");
  await page.getByRole("button", { name: `Put this back … ${flags.half}` }).focus();
  await page.keyboard.press("Enter");
  const question = page.getByRole("dialog", { name: `Put ${flags.half} back` });
  await question.getByRole("row", { name: /Strategy different 50 %/ }).waitFor();
  await question.getByRole("button", { name: "Put it back" }).focus();
  await page.keyboard.press("Enter");
  await eventually(stored, (now) => now.join() === "false,10");
  await page.getByRole("heading", { name: "1 flag was different" }).waitFor();
  await assertAtPeace(seen);
});

test("what was changed meanwhile is not put back over", async () => {
  const { environment, flags, stored } = await withPast();
  const { page, open } = await visitor({ as: admin });
  await open(`/build/environments/${environment}/rewind`);
  await goBack(page);
  await page.getByRole("button", { name: `Put this back … ${flags.half}` }).click();
  const question = page.getByRole("dialog", { name: `Put ${flags.half} back` });
  await question.getByText("Request", { exact: true }).waitFor();
  const body = [{ op: "replace", path: "/stale", value: true }];
  await ask(`${project}/features/${flags.half}`, { method: "PATCH", body });
  await question.getByRole("button", { name: "Put it back" }).click();
  await question.getByRole("alert").getByText("1 flag was not put back").waitFor();
  assert.deepEqual(await stored(), [false, "50"]);
});

test("where changes need approval, what is put back goes into the draft", async () => {
  const { environment, flags, stored } = await withPast({ approvals: true });
  const { page, open } = await visitor({ as: admin });
  await open(`/build/environments/${environment}/rewind`);
  await goBack(page);
  await page.getByRole("button", { name: `Put this back … ${flags.off}` }).click();
  const question = page.getByRole("dialog", { name: `Put ${flags.off} back` });
  await question.getByRole("button", { name: "Add to draft" }).click();
  await page.getByText(/Added to your draft/).waitFor();
  assert.deepEqual(await stored(), [false, "50"]);
});

test("a time long ago is the beginning, and who may not see a project sees nothing of it", async () => {
  const { environment, flags } = await withPast();
  const { page, open } = await visitor({ as: admin });
  await open(`/build/environments/${environment}/rewind`);
  await page.getByLabel(/^At, in/).fill("2020-01-01T00:00:00");
  await page.getByText(/Event: .*created the environment/).waitFor();
  await page.getByRole("heading", { name: "3 flags were different" }).waitFor();

  await ask(`${project}/settings`, { method: "PUT", body: { mode: "private", defaultStickiness: "default" } });
  try {
    const stranger = await visitor({ as: await person(`stranger-${id}`, 3) });
    await stranger.open(`/build/environments/${environment}/rewind`);
    await settled(stranger.page);
    const text = await stranger.page.locator("main").innerText();
    for (const flag of Object.values(flags)) assert.ok(!text.includes(flag), `${flag} is hidden`);
  } finally {
    await ask(`${project}/settings`, { method: "PUT", body: { mode: "open", defaultStickiness: "default" } });
  }
});

test("for a time that is entered, older events are read until it, and many flags are switched together", async () => {
  const environment = `rewind-${process.pid}-${++number}`;
  await ask("/api/admin/environments", { method: "POST", body: { name: environment, type: "test" } });
  await ask(`${project}/environments`, { method: "POST", body: { environment } });
  const features = Array.from({ length: 300 }, (_, at) => `${environment}-flag-${at}`);
  const data = {
    features: features.map((name) => ({ name, type: "release" })),
    featureStrategies: features.map((name) => ({ ...strategy(name, "50"), featureName: name })),
    featureEnvironments: features.map((name) => ({ name, featureName: name, environment, enabled: true })),
    ...{ contextFields: [], segments: [], tagTypes: [], featureTags: [] },
  };
  await ask("/api/admin/features-batch/import", { method: "POST", body: { project: id, environment, data } });
  const bulk = `${project}/bulk_features/environments/${environment}`;
  for (const to of ["off", "on", "off"]) await ask(`${bulk}/${to}`, { method: "POST", body: { features } });
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/build/environments/${environment}/rewind`);
  await page.getByText("250 of 1,503 are read").waitFor();
  await page.getByLabel(/^At, in/).fill("2020-01-01T00:00:00");
  await page.getByText(/Event: .*created the environment/).waitFor();
  await page.getByRole("heading", { name: "300 flags were different" }).waitFor();

  // As the import had left them: they were on.
  await page.getByRole("slider", { name: "Moment" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: "Select all 300" }).click();
  await page.getByRole("button", { name: "Put 300 back …" }).click();
  const question = page.getByRole("dialog", { name: "Put 300 flags back" });
  await question.getByText("Request", { exact: true }).waitFor();
  await question.getByRole("button", { name: "Put 300 back" }).click();
  const on = async () => (await ask(`/api/admin/environments/${environment}`)).enabledToggleCount;
  await eventually(on, (count) => count === 300);
  await assertAtPeace(seen);
});

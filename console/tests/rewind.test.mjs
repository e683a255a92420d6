// A flag as it was at any time, and the way back to it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, ask, assertAccessible, assertAtPeace, eventually, visitor } from "./chromium.mjs";
import { freshFeature, id, project } from "./own-project.mjs";

/** A flag that was on for a tenth of production with a title, and is off for half of it and another strategy now. */
async function withPast() {
  const name = await freshFeature();
  const environment = `${project}/features/${name}/environments/production`;
  const strategies = `${environment}/strategies`;
  const body = (rollout) => ({
    name: "flexibleRollout",
    parameters: { rollout, stickiness: "default", groupId: name },
  });
  const { id: first } = await ask(strategies, { method: "POST", body: body("10") });
  await ask(`${environment}/on`, { method: "POST" });
  await ask(`${strategies}/${first}`, { method: "PUT", body: body("50") });
  await ask(strategies, { method: "POST", body: body("77") });
  await ask(`${environment}/off`, { method: "POST" });
  const stored = async () => {
    const { enabled, strategies: all } = await ask(environment);
    return [enabled, ...all.map(({ parameters }) => parameters.rollout)];
  };
  return { name, stored };
}

test("a flag is seen as it was, with what differs from now, and put back after a preview", async () => {
  const { name, stored } = await withPast();
  assert.deepEqual(await stored(), [false, "50", "77"]);
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/projects/${id}/features/${name}/rewind`);
  const slider = page.getByRole("slider", { name: "Moment" });
  await page.getByRole("heading", { name: "As it is now" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Put this back …" }).isDisabled(), true);
  const production = page.getByRole("region", { name: "production" });
  assert.equal(await slider.inputValue(), await slider.getAttribute("max"));

  // Before the switch, the second strategy and the other share.
  await slider.focus();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowLeft");
  await page.getByText(/Event: .*switched on/).waitFor();
  await production.getByRole("row", { name: /State different off on/ }).waitFor();
  await production.getByRole("row", { name: /Strategy different none 10 %/ }).waitFor();
  await production.getByRole("row", { name: /Strategy different 77 % none/ }).waitFor();
  await assertAccessible(page, "a flag as it was");

  await page.getByRole("button", { name: "Put this back …" }).click();
  const question = page.getByRole("dialog", { name: `Put ${name} back` });
  await question.getByText("Requests (3)").waitFor();
  await question.getByLabel("Why (kept in the event log)").fill("worked then");
  assert.deepEqual(await stored(), [false, "50", "77"]);
  await question.getByRole("button", { name: "Put it back" }).click();
  await eventually(stored, (now) => now.join() === "true,10");
  const { events } = await ask(`/api/admin/search/events?feature=IS:${name}&limit=3`);
  assert.deepEqual(
    events.map(({ reason }) => reason),
    ["worked then", "worked then", "worked then"],
  );
  await page.getByRole("heading", { name: "As it is now" }).waitFor();
  await assertAtPeace(seen);
});

test("a moment is typed, and what the log does not hold is said", async () => {
  const { name } = await withPast();
  const parent = await freshFeature();
  const dependencies = `${project}/features/${name}/dependencies`;
  await ask(dependencies, { method: "POST", body: { feature: parent, enabled: false } });
  await ask(`${dependencies}/${parent}`, { method: "DELETE" });
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/features/${name}/rewind`);
  await page.getByRole("heading", { name: "As it is now" }).waitFor();
  assert.equal(await page.getByText("This is not exact").count(), 0);
  // Long before its first event: as it was created.
  await page.getByLabel(/^At, in/).fill("2020-01-01T00:00:00");
  await page.getByText(/Event: .*created the flag/).waitFor();
  await page.getByRole("note").getByText(`Whether ${parent} had to be on, off or with a variant`).waitFor();
  await page
    .getByRole("region", { name: "production" })
    .getByRole("row", { name: /50 % none/ })
    .waitFor();
});

test("what somebody changed meanwhile is not put back over", async () => {
  const { name, stored } = await withPast();
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/features/${name}/rewind`);
  await page.getByRole("slider", { name: "Moment" }).focus();
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("button", { name: "Put this back …" }).click();
  const question = page.getByRole("dialog", { name: `Put ${name} back` });
  await question.getByRole("row", { name: /State different off on/ }).waitFor();
  await ask(`${project}/features/${name}`, { method: "PATCH", body: [{ op: "replace", path: "/stale", value: true }] });
  await question.getByRole("button", { name: "Put it back" }).click();
  await page.getByRole("alert").getByText("That did not work").waitFor();
  assert.deepEqual(await stored(), [false, "50", "77"]);
});

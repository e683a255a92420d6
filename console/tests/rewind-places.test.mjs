// A segment and the settings of a project as they were at any time, and the way back to them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, ask, assertAccessible, assertAtPeace, eventually, visitor } from "./chromium.mjs";
import { freshFeature, id, person, project } from "./own-project.mjs";

let number = 0;
const named = (what) => `${what} ${process.pid}-${++number}`;

/** A segment that a flag uses, and which was for one country before it was for two. */
async function segmentWithPast() {
  const name = named("Segment");
  const constraint = (...values) => ({ contextName: "userId", operator: "IN", values });
  const body = { name, description: "as it was", constraints: [constraint("ada")] };
  const { id: segmentId } = await ask("/api/admin/segments", { method: "POST", body });
  const flag = await freshFeature();
  const strategies = `${project}/features/${flag}/environments/development/strategies`;
  await ask(strategies, {
    method: "POST",
    body: { name: "flexibleRollout", parameters: { rollout: "100" }, segments: [segmentId] },
  });
  const url = `/api/admin/segments/${segmentId}`;
  const change = (changed) => ask(url, { method: "PUT", body: { ...body, ...changed } });
  await change({ constraints: [constraint("ada", "bob")] });
  await change({ description: "as it is", constraints: [constraint("ada", "bob")] });
  const stored = async () => {
    const { description, constraints } = await ask(url);
    return [description, ...constraints[0].values].join();
  };
  return { name, segmentId, flag, change, stored };
}

test("a segment is seen as it was, and put back after a preview that names the flags that use it", async () => {
  const { name, segmentId, flag, stored } = await segmentWithPast();
  assert.equal(await stored(), "as it is,ada,bob");
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/build/segments?open=${segmentId}`);
  await page.getByRole("link", { name: "Rewind: what it was at another time" }).click();
  await page.getByRole("heading", { name: `Rewind ${name}` }).waitFor();
  await page.getByRole("heading", { name: "As it is now" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Put this back …" }).getAttribute("aria-disabled"), "true");
  await page.getByRole("slider", { name: "Moment" }).focus();
  for (let step = 0; step < 2; step += 1) await page.keyboard.press("ArrowLeft");
  await page.getByText(/Event: .*created a segment/).waitFor();
  await page.getByRole("row", { name: /Description different as it is as it was/ }).waitFor();
  await page.getByRole("row", { name: /Constraint different userId is bob, ada userId is ada/ }).waitFor();
  await assertAccessible(page, "a segment as it was");

  await page.getByRole("button", { name: "Put this back …" }).click();
  const question = page.getByRole("dialog", { name: `Put ${name} back` });
  await question.getByText("1 flag uses it").waitFor();
  await question.getByRole("listitem").filter({ hasText: flag }).waitFor();
  await question.getByText("Request", { exact: true }).waitFor();
  await assertAccessible(page, "what putting a segment back changes");
  await question.getByLabel("Why (kept in the event log)").fill("worked then");
  await question.getByRole("button", { name: "Put it back" }).click();
  await eventually(stored, (now) => now === "as it was,ada");
  const { events } = await ask("/api/admin/search/events?type=IS:segment-updated&limit=1");
  assert.equal(events[0].reason, "worked then");
  await page.getByRole("heading", { name: "As it is now" }).waitFor();
  await assertAtPeace(seen);
});

test("a segment that somebody changed meanwhile is not put back over", async () => {
  const { name, segmentId, change } = await segmentWithPast();
  const { page, open } = await visitor({ as: admin });
  await open(`/build/segments/${segmentId}/rewind`);
  await page.getByRole("slider", { name: "Moment" }).focus();
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("button", { name: "Put this back …" }).click();
  const question = page.getByRole("dialog", { name: `Put ${name} back` });
  await question.getByText("Request", { exact: true }).waitFor();
  await change({ description: "newer", constraints: [] });
  await question.getByRole("button", { name: "Put it back" }).click();
  await page.getByRole("alert").getByText("That did not work").waitFor();
  assert.equal((await ask(`/api/admin/segments/${segmentId}`)).description, "newer");
});

/** A project whose settings were others, and which used an environment that it left. */
async function projectWithPast() {
  const own = `rewind-${process.pid}-${++number}`;
  const url = `/api/admin/projects/${own}`;
  await ask("/api/admin/projects", { method: "POST", body: { id: own, name: "Shop", description: "as it was" } });
  await ask(`${url}/settings`, { method: "PUT", body: { featureLimit: 50 } });
  const begins = `${url}/environments/development/default-strategy`;
  const strategy = (rollout) => ({
    name: "flexibleRollout",
    parameters: { rollout, stickiness: "default", groupId: "" },
  });
  await ask(begins, { method: "POST", body: strategy("7") });
  await ask(`${url}/environments/development`, { method: "DELETE" });
  await ask(`${url}/settings`, { method: "PUT", body: { featureLimit: 5 } });
  const general = { name: "Store", description: "as it is", mode: "open", defaultStickiness: "default" };
  await ask(url, { method: "PUT", body: general });
  const stored = async () => {
    const { name, featureLimit, environments } = await ask(`${url}/overview`);
    const here = environments.find(({ environment }) => environment === "development");
    return [name, featureLimit, here?.defaultStrategy?.parameters.rollout].join();
  };
  return { own, stored };
}

test("the settings of a project are seen as they were, and put back part by part or together", async () => {
  const { own, stored } = await projectWithPast();
  assert.equal(await stored(), "Store,5,");
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/projects/${own}/settings`);
  await page.getByRole("link", { name: "Rewind: what the settings were at another time" }).click();
  await page.getByRole("heading", { name: "As it is now" }).waitFor();
  await page.getByRole("slider", { name: "Moment" }).focus();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowLeft");
  await page.getByText(/Event: .*changed the default strategy/).waitFor();
  await page.getByRole("row", { name: /Name different Store Shop/ }).waitFor();
  await page.getByRole("row", { name: /Most flags different 5 50/ }).waitFor();
  await page.getByRole("row", { name: /In use different no yes/ }).waitFor();
  await page.getByRole("row", { name: /Default strategy different none 7 %/ }).waitFor();
  await page.getByRole("note").getByText("What its flags had in development").waitFor();
  await assertAccessible(page, "a project as it was");

  await page.getByRole("button", { name: "Put this back … Rules for flags" }).click();
  const rules = page.getByRole("dialog", { name: "Put Rules for flags back" });
  await rules.getByRole("row", { name: /Most flags different 5 50/ }).waitFor();
  await rules.getByLabel("Why (kept in the event log)").fill("needed then");
  await rules.getByRole("button", { name: "Put it back" }).click();
  await eventually(stored, (now) => now === "Store,50,");
  const { events } = await ask(`/api/admin/search/events?project=IS:${own}&limit=1`);
  assert.equal(events[0].reason, "needed then");

  // The event of that is one more.
  await page.getByText(/Latest event: .*changed the project/).waitFor();
  await page.getByRole("heading", { name: "As it is now" }).waitFor();
  await page.getByRole("slider", { name: "Moment" }).focus();
  for (let step = 0; step < 4; step += 1) await page.keyboard.press("ArrowLeft");
  await page.getByRole("button", { name: "Put all 2 back …" }).click();
  const all = page.getByRole("dialog", { name: "Put the settings back" });
  await all.getByText("Requests (2)").waitFor();
  await all.getByRole("button", { name: "Put it back" }).click();
  await eventually(stored, (now) => now === "Shop,50,7");
  await assertAtPeace(seen);
});

test("who may not change a project sees what its settings were, and why they stay", async () => {
  const { own } = await projectWithPast();
  const reader = await person(`rewind-reader-${process.pid}`, 3);
  const { page, open } = await visitor({ as: reader });
  await open(`/projects/${own}/rewind`);
  await page.getByRole("slider", { name: "Moment" }).focus();
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("row", { name: /Name different Store Shop/ }).waitFor();
  const button = page.getByRole("button", { name: "Put this back … General" });
  assert.equal(await button.getAttribute("aria-disabled"), "true");
});

// Notices of what was done: where they lie, and what their Undo says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, ask, eventually, flip, narrow, takeBack, visitor, wide } from "./chromium.mjs";
import { freshFeature, id, project } from "./own-project.mjs";

const parameters = (name) => ({ rollout: "50", stickiness: "default", groupId: name });

/** A feature whose production is on for half of the users. */
async function liveFeature() {
  const name = await freshFeature();
  const path = `${project}/features/${name}/environments/production`;
  const strategy = await ask(`${path}/strategies`, {
    method: "POST",
    body: { name: "flexibleRollout", parameters: parameters(name) },
  });
  return { name, path, strategy };
}

const isOn = (path) => () => ask(path).then(({ enabled }) => enabled);

/** What lies over the middle of a control, if it is not the control itself. */
const covering = (control) =>
  control.evaluate((element) => {
    element.scrollIntoView({ block: "nearest" });
    const { left, top, width, height } = element.getBoundingClientRect();
    const found = document.elementFromPoint(left + width / 2, top + height / 2);
    return found && (element.contains(found) || found.contains(element)) ? "" : (found?.textContent ?? "nothing");
  });

/** Nothing does, once everything has its place. */
const becomesFree = (control) =>
  eventually(
    () => covering(control),
    (over) => over === "",
  );

async function switchOn(page, name) {
  await flip(page.getByRole("switch", { name: `${name} in production` }));
  await page.getByRole("button", { name: "Switch on in production" }).click();
  await page
    .getByRole("alert")
    .filter({ hasText: `${name} is on in production` })
    .waitFor();
}

for (const [words, size] of Object.entries({
  "at 1280 px": wide,
  "at 640 px": { width: 640, height: 450 },
  "on a phone": narrow,
})) {
  test(`Save is Save ${words}, right after production was switched on`, async () => {
    const { name, path, strategy } = await liveFeature();
    const { page, open } = await visitor({ as: admin, size });
    await open(`/projects/${id}/features/${name}`);
    await switchOn(page, name);
    const card = page.getByRole("region", { name: "production, production" });
    await card.getByRole("button", { name: "Edit" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByLabel("Share of users", { exact: true }).fill("60");
    for (const action of ["Save", "Cancel", "Close"]) await becomesFree(drawer.getByRole("button", { name: action }));
    const notice = page.getByRole("alert").filter({ hasText: "is on in production" });
    await becomesFree(notice.getByRole("button", { name: "Switch off again" }));
    const { width: room } = await notice.getByText("is on in production").boundingBox();
    assert.ok(room > 150, `its words have ${room} px`);
    await drawer.getByRole("button", { name: "Save" }).click();
    const question = page.getByRole("dialog", { name: "Change a strategy in production" });
    for (const action of ["Change strategy", "Cancel"])
      await becomesFree(question.getByRole("button", { name: action }));
    await question.getByRole("button", { name: "Change strategy" }).click();
    await eventually(
      () => ask(`${path}/strategies/${strategy.id}`),
      (saved) => saved.parameters.rollout === "60",
    );
    assert.equal(await isOn(path)(), true, "production is still on");
  });
}

test("in production an Undo says what it does, and what is so afterwards", async () => {
  const { name, path, strategy } = await liveFeature();
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/features/${name}`);
  await switchOn(page, name);
  assert.equal(await page.getByRole("button", { name: "Undo" }).count(), 0);
  await takeBack(page, isOn(path), (on) => on, "is on in production", "Switch off again in production");
  await page
    .getByRole("alert")
    .filter({ hasText: `${name} is off again in production.` })
    .waitFor();
  await eventually(isOn(path), (on) => !on);
  const card = page.getByRole("region", { name: "production, production" });
  await card.getByText("off", { exact: true }).waitFor();

  const strategies = () => ask(`${path}/strategies`);
  await card.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove strategy" }).click();
  await takeBack(page, strategies, (left) => left.length === 0, "strategy is removed", "Add it again in production");
  await eventually(strategies, ([back]) => back?.parameters.rollout === strategy.parameters.rollout);
});

/** Lets the page wait for what it reads of a flag, from now on until it is released. */
async function holdReads(page, name) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route(`**/features/${name}?*`, async (route) => {
    await released;
    await route.continue().catch(() => undefined);
  });
  return release;
}

test("what is pressed right after an Undo in production waits until the page knows of it, and is not refused", async () => {
  const { name, path, strategy } = await liveFeature();
  await ask(`${path}/strategies`, { method: "POST", body: { name: "default", title: "for all" } });
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/features/${name}`);
  const strategies = () => ask(`${path}/strategies`);
  const list = page.getByRole("list", { name: "Strategies in production" });
  const remove = async (title) => {
    await list.getByRole("listitem").filter({ hasText: title }).getByRole("button", { name: "Remove" }).click();
    return page.getByRole("dialog", { name: "Remove a strategy in production" });
  };
  const share = (percent) => list.getByRole("button", { name: `${percent} %`, exact: true });
  const changed = page.getByRole("dialog", { name: /^Change the share in production/ });
  await share(100).click();
  await changed.getByRole("button", { name: "Change to 100 %" }).click();
  const back = page.getByRole("button", { name: "Back to 50 % in production" });
  await back.waitFor();

  let release = await holdReads(page, name);
  await back.click();
  await eventually(
    () => ask(`${path}/strategies/${strategy.id}`),
    ({ parameters }) => parameters.rollout === "50",
  );
  await share(25).click();
  release();
  // It is about what is so after the Undo.
  await changed.getByText("50 %", { exact: true }).waitFor();
  await changed.getByRole("button", { name: "Change to 25 %" }).click();
  await eventually(
    () => ask(`${path}/strategies/${strategy.id}`),
    ({ parameters }) => parameters.rollout === "25",
  );

  await page.unrouteAll({ behavior: "ignoreErrors" });
  release = await holdReads(page, name);
  await page.getByRole("button", { name: "Back to 50 % in production" }).click();
  await eventually(
    () => ask(`${path}/strategies/${strategy.id}`),
    ({ parameters }) => parameters.rollout === "50",
  );
  const question = await remove("for all");
  release();
  await question.getByRole("button", { name: "Remove strategy" }).click();
  await eventually(strategies, (left) => left.length === 1);
  assert.equal(await page.getByText("That did not work").count(), 0);
});

test("an Undo of a form is not refused for another change of the same person, nor lost when somebody else was faster", async () => {
  const name = await freshFeature();
  const at = `${project}/features/${name}`;
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/features/${name}`);
  const describe = async (text) => {
    await page.getByRole("button", { name: "Edit the description" }).click();
    await page.getByRole("textbox", { name: "Description" }).fill(text);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const notice = page.getByRole("alert").filter({ hasText: "The description is saved." }).last();
    await notice.waitFor();
    return notice.getByRole("button", { name: "Undo" });
  };
  const description = () => ask(at).then((stored) => stored.description ?? "");
  const undo = await describe("first");
  await flip(page.getByRole("switch", { name: `${name} in development` }));
  await page
    .getByRole("alert")
    .filter({ hasText: `${name} is on in development` })
    .waitFor();
  await undo.click();
  await eventually(description, (now) => now === "");

  const late = await describe("second");
  const body = [{ op: "replace", path: "/description", value: "theirs" }];
  await ask(at, { method: "PATCH", body });
  await late.click();
  await page.getByRole("alert").filter({ hasText: "That did not work" }).waitFor();
  assert.equal(await description(), "theirs");
});

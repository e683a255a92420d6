// The page of a flag: its environments side by side, its copies, its links, and what it depends on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, ask, assertAccessible, assertAtPeace, eventually, server, takeBack, visitor } from "./chromium.mjs";
import { freshFeature, id, project } from "./own-project.mjs";

const pageOf = (feature, owner = id) => `/projects/${owner}/features/${feature}`;
const strategiesOf = (feature, environment) => `${project}/features/${feature}/environments/${environment}/strategies`;
const stored = (feature) => ask(`${project}/features/${feature}`);

async function withStrategies(shares) {
  const name = await freshFeature();
  for (const [environment, rollout] of Object.entries(shares)) {
    const parameters = { rollout, stickiness: "default", groupId: name };
    await ask(strategiesOf(name, environment), { method: "POST", body: { name: "flexibleRollout", parameters } });
  }
  return name;
}

test("a reason travels with a switch in production and with a change of many, and is optional", async () => {
  const name = await withStrategies({ production: "10" });
  const reasons = async () =>
    (await ask(`/api/admin/search/events?feature=IS:${name}&limit=20`)).events.map(({ type, reason }) => [
      type,
      reason,
    ]);
  const { page, open } = await visitor({ as: admin });
  await open(pageOf(name));
  const control = page.getByRole("switch", { name: `${name} in production` });
  await control.press("Space");
  const question = page.getByRole("dialog", { name: "Switch on in production" });
  await question.getByLabel("Why (kept in the event log)").fill("launch");
  await question.getByText("Request", { exact: true }).click();
  await question.getByText("X-Change-Reason: launch").waitFor();
  await question.getByRole("button", { name: "Switch on in production" }).click();
  await eventually(reasons, (all) =>
    all.some(([type, why]) => type === "feature-environment-enabled" && why === "launch"),
  );
  await control.press("Space");
  await page.getByRole("button", { name: "Switch off in production" }).click();
  await eventually(reasons, (all) => all.some(([type, why]) => type === "feature-environment-disabled" && !why));

  await open(`/projects/${id}/features?query=${name}`);
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Change them …" }).click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  const preview = page.getByRole("dialog");
  await preview.getByLabel("Why (kept in the event log)").fill("over");
  await preview.getByRole("button", { name: "Archive", exact: true }).click();
  await eventually(reasons, (all) => all.some(([type, why]) => type === "feature-archived" && why === "over"));
});

// What the event log says: values, reasons, what one act made; and what it can be narrowed to.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, ask, assertAccessible, assertAtPeace, server, visitor } from "./chromium.mjs";
import { freshFeature, id, project } from "./own-project.mjs";

const events = (page) => page.getByRole("region", { name: "Events", exact: true });
const row = (page, text) => events(page).getByRole("row").filter({ hasText: text });

/** A change with its reason, as applications and the console send it. */
async function because(reason, path, { method = "POST", body } = {}) {
  const headers = {
    authorization: process.env.FLAGSTONE_ADMIN_TOKEN,
    "content-type": "application/json",
    "x-change-reason": reason,
  };
  const answer = await fetch(server + path, { method, headers, body: body && JSON.stringify(body) });
  assert.ok(answer.ok, `${answer.status} ${await answer.text()}`);
}

const parameters = (name, rollout) => ({ rollout, stickiness: "default", groupId: name });

test("sentences have the values that changed, and on its own page a flag is not named in each row", async () => {
  const name = await freshFeature();
  const parent = await freshFeature();
  const path = `${project}/features/${name}`;
  const strategies = `${path}/environments/development/strategies`;
  const { id: strategy } = await ask(strategies, {
    method: "POST",
    body: { name: "flexibleRollout", parameters: parameters(name, "10") },
  });
  await ask(`${strategies}/${strategy}`, {
    method: "PUT",
    body: { name: "flexibleRollout", parameters: parameters(name, "50") },
  });
  await ask(`/api/admin/features/${name}/tags`, { method: "POST", body: { type: "simple", value: "alpha" } });
  await ask(`${path}/dependencies`, { method: "POST", body: { feature: parent } });
  await ask(path, { method: "PATCH", body: [{ op: "replace", path: "/type", value: "experiment" }] });
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/projects/${id}/features/${name}/history`);
  for (const words of [
    "changed a strategy in development: rollout 10 → 50 %",
    "tagged: simple:alpha",
    `added a dependency: ${parent}`,
    "type release → experiment",
  ])
    await row(page, words).first().waitFor();
  assert.equal(
    await events(page)
      .getByRole("row")
      .filter({ hasText: `of ${name}` })
      .count(),
    0,
  );
  await assertAccessible(page, "the event log of a flag");
  await open(`/history?project=IS_ANY_OF:${id}`);
  await row(page, `changed a strategy of ${name} in development: rollout 10 → 50 %`).waitFor();
  await assertAtPeace(seen);
});

test("the reason of a change stands below its sentence, and where the event is opened", async () => {
  const name = await freshFeature();
  await because("Ticket 4711: fewer complaints", `${project}/features/${name}/environments/development/on`);
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/features/${name}/history`);
  const changed = row(page, "switched on in development");
  await changed.getByText("Reason: Ticket 4711: fewer complaints").waitFor();
  assert.equal(await row(page, "created the flag").getByText("Reason:").count(), 0);
  await changed.getByRole("button", { name: /^Open event/ }).click();
  await page.getByRole("dialog").getByText("Reason: Ticket 4711: fewer complaints").waitFor();
});

test("what an import made is one row, which unfolds", async () => {
  const own = `${id}-imported`;
  await ask("/api/admin/projects", { method: "POST", body: { id: own, name: "Imported" } });
  const features = Array.from({ length: 25 }, (_, at) => ({
    name: `${own}-${at}`,
    type: "release",
    project: own,
    stale: false,
    impressionData: false,
    archived: false,
  }));
  const featureEnvironments = features.map(({ name }) => ({
    name: "development",
    environment: "development",
    featureName: name,
    enabled: false,
  }));
  const data = { features, featureStrategies: [], featureEnvironments, contextFields: [], featureTags: [] };
  await ask("/api/admin/features-batch/import", {
    method: "POST",
    body: { project: own, environment: "development", data: { ...data, segments: [], tagTypes: [] } },
  });
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${own}/history`);
  await row(page, "imported 25 flags").waitFor();
  assert.equal(await row(page, `created the flag ${own}-7`).count(), 0, "it is folded");
  await page.getByRole("button", { name: /^Unfold/ }).click();
  await row(page, `created the flag`).first().waitFor();
  await page.getByRole("button", { name: /^Fold/ }).click();
  await row(page, "created the flag").first().waitFor({ state: "detached" });
});

test("events are narrowed to an environment, also on the page of a flag, and the address keeps it", async () => {
  const name = await freshFeature();
  for (const environment of ["development", "production"])
    await ask(`${project}/features/${name}/environments/${environment}/on`, { method: "POST" });
  const { page, open } = await visitor({ as: admin });
  for (const path of [`/projects/${id}/features/${name}/history`, `/history?feature=IS_ANY_OF:${name}`]) {
    await open(path);
    await row(page, /switched on .*development/).waitFor();
    await page.getByRole("button", { name: "Environment", exact: true }).click();
    await page.getByRole("checkbox", { name: "production", exact: true }).click();
    await page.keyboard.press("Escape");
    await row(page, /switched on .*development/).waitFor({ state: "detached" });
    await row(page, /switched on .*production/).waitFor();
    await page.reload();
    await row(page, /switched on .*production/).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("environment"), "IS_ANY_OF:production");
    assert.equal(await row(page, /switched on .*development/).count(), 0);
  }
});

// Variants of strategies: seen, made and changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, ask, assertAccessible, assertAtPeace, eventually, visitor } from "./chromium.mjs";
import { freshFeature, id, project } from "./own-project.mjs";

const variant = (name, weight) => ({ name, weight, weightType: "variable", stickiness: "userId" });

async function withStrategy(variants) {
  const name = await freshFeature();
  const path = `${project}/features/${name}/environments/development/strategies`;
  const parameters = { rollout: "35", stickiness: "userId", groupId: name };
  const { id: strategyId } = await ask(path, {
    method: "POST",
    body: { name: "flexibleRollout", parameters, variants },
  });
  return { name, stored: () => ask(`${path}/${strategyId}`), strategyId };
}

test("variants of a strategy are on its card and on the page of the variants", async () => {
  const { name } = await withStrategy([variant("blue", 500), variant("green", 500)]);
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/projects/${id}/features/${name}`);
  await page.getByRole("list", { name: "Strategies in development" }).getByText("blue 50 % · green 50 %").waitFor();
  await open(`/projects/${id}/features/${name}/variants?env=development`);
  const strategies = page.getByRole("region", { name: "Variants of strategies" });
  await strategies.getByText("blue 50 % · green 50 %").waitFor();
  assert.equal(await page.getByText("the flag is only on or off").count(), 0);
  await strategies.getByRole("link", { name: "Edit the strategy" }).click();
  await page.getByRole("dialog").getByText("with the variants blue 50 %, green 50 %").waitFor();
  await assertAccessible(page, "the variants of a strategy in its form");
  await assertAtPeace(seen);
});

test("a strategy gets variants, which are shared out, and loses them", async () => {
  const { name, stored, strategyId } = await withStrategy([]);
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/features/${name}?env=development&strategy=${strategyId}`);
  const form = page.getByRole("dialog");
  for (const [at, word] of ["blue", "green"].entries()) {
    await form.getByRole("button", { name: "Add variant" }).click();
    await form
      .getByRole("group", { name: /^Variant( |$)/ })
      .nth(at)
      .getByRole("textbox", { name: "Name" })
      .fill(word);
  }
  const blue = form.getByRole("group", { name: "Variant blue" });
  await blue.getByRole("checkbox", { name: /fixed/ }).check();
  await blue.getByLabel("Share", { exact: true }).fill("20");
  await blue.getByRole("combobox", { name: "Payload" }).click();
  await page.getByRole("option", { name: "json" }).click();
  await blue.getByLabel("Its value").fill("{");
  await form.getByText("The payload of blue is no JSON.").waitFor();
  await blue.getByLabel("Its value").fill('{"a":1}');
  await form.getByText("blue 20 %, green 80 %").waitFor();
  await form.getByRole("button", { name: "Save" }).click();
  await eventually(stored, ({ variants }) => variants.length === 2);
  const { variants } = await stored();
  assert.deepEqual(
    variants.map(({ name: called, weight, weightType, stickiness, payload }) => [
      called,
      weight,
      weightType,
      stickiness,
      payload?.value,
    ]),
    [
      ["blue", 200, "fix", "userId", '{"a":1}'],
      ["green", 800, "variable", "userId", undefined],
    ],
  );
  await form.waitFor({ state: "hidden" });
  await page.getByRole("list", { name: "Strategies in development" }).getByRole("button", { name: "Edit" }).click();
  await form.getByRole("button", { name: "Remove green" }).click();
  await form.getByText("Fixed weights add up to 20 %").waitFor();
  await form.getByRole("button", { name: "Remove blue" }).click();
  await form.getByRole("button", { name: "Save" }).click();
  await eventually(stored, (strategy) => strategy.variants.length === 0);
});

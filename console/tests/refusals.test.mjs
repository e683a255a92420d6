// What the server refuses, in words, at the field that it is about.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, ask, assertAccessible, assertAtPeace, visitor } from "./chromium.mjs";
import { freshFeature, id, person } from "./own-project.mjs";

/** What no person should have to read, outside of "Details". */
const forMachines = /\/(body|query)\/|\^\[|[A-Z]{2,}_[A-Z_]+|\b[A-Z]\w+Error\b/;

const textWithoutDetails = (place) =>
  place.evaluate((element) => {
    const copy = element.cloneNode(true);
    for (const details of copy.querySelectorAll("details")) details.remove();
    return copy.textContent;
  });

/** What a screen reader says of a field besides its name. */
const description = (field) =>
  field.evaluate((input) =>
    (input.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent ?? "")
      .join(" "),
  );

const says = async (field, words) => {
  const said = await description(field);
  assert.match(said, words);
  assert.doesNotMatch(said, forMachines);
};

test("a name that cannot be had says so at its field, and one click takes one that can", async () => {
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/projects/${id}/features?new=true`);
  const dialog = page.getByRole("dialog", { name: "New feature flag" });
  const field = dialog.getByLabel(/^Name/);
  const typed = `Checkout Redesign ${Date.now().toString(36)}`;
  const proposed = typed.toLowerCase().replaceAll(" ", "-");
  await field.fill(typed);
  const use = dialog.getByRole("button", { name: `Use ${proposed}` });
  await use.waitFor();
  await says(field, /^.*Letters, digits, - _ \. ~ only\./);
  await assertAccessible(page, "a refused name");
  await use.click();
  assert.equal(await field.inputValue(), proposed);
  await dialog.getByText("✓").waitFor();
  const refused = [];
  page.on("response", (answer) => answer.status() >= 400 && refused.push(`${answer.status()} ${answer.url()}`));
  await dialog.getByRole("button", { name: /^Create / }).click();
  await page.getByRole("heading", { name: proposed, level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  assert.deepEqual(refused, [], "the name is not tried once more when it is taken by oneself");
  await assertAtPeace(seen);
});

test("a name that is taken, and one against the rule of the project, say so at the field", async () => {
  const taken = await freshFeature();
  const own = `${id}-named`;
  await ask("/api/admin/projects", { method: "POST", body: { id: own, name: "Named" } });
  const featureNaming = { pattern: "shop-[a-z]+", example: "shop-cart", description: "area first" };
  await ask(`/api/admin/projects/${own}/settings`, {
    method: "PUT",
    body: { mode: "open", defaultStickiness: "default", featureNaming },
  });
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${own}/features?new=true`);
  const field = page.getByRole("dialog").getByLabel(/^Name/);
  await field.fill(taken);
  await page.waitForFunction(() => document.querySelector("[role=dialog] [aria-invalid=true]"));
  await field.fill("cart");
  await page.getByRole("dialog").getByText("area first, such as shop-cart").waitFor();
  await says(field, /naming rule of the project: area first/);
});

test("a form says beside its field what is refused, and the class of the error only below Details", async () => {
  const { page, open } = await visitor({ as: admin });
  const name = `${id}-field`;
  await ask("/api/admin/context", { method: "POST", body: { name } });
  await open("/build/context?new=true");
  const dialog = page.getByRole("dialog");
  const field = dialog.getByLabel(/^Name/);
  await field.fill("not a name!");
  await dialog.getByRole("button", { name: /^Create/ }).click();
  await dialog.locator("[aria-invalid=true]").waitFor();
  await says(field, /Letters, digits, - _ \. ~ only\./);
  assert.equal(await dialog.getByRole("alert").count(), 0, "it is said once");
  await dialog.getByRole("button", { name: "Use not-a-name" }).click();
  assert.equal(await field.inputValue(), "not-a-name");
  assert.equal(await dialog.locator("[aria-invalid=true]").count(), 0, "what was refused is not there any more");
  await field.fill(name);
  await dialog.getByRole("button", { name: /^Create/ }).click();
  await dialog.getByText("already").waitFor();
  await says(field, /already/);
});

test("what one may not do is said by the name of the permission", async () => {
  const name = await freshFeature();
  const { userId, ...who } = await person(`${id}-viewer`, 3);
  const { page, open } = await visitor({ as: who });
  await open(`/projects/${id}/features/${name}`);
  const control = page.getByRole("switch", { name: `${name} in development` });
  await control.waitFor();
  await control.focus();
  const tip = page.getByRole("tooltip").filter({ hasText: "Switch feature flags on and off" });
  await tip.waitFor();
  assert.doesNotMatch(await tip.textContent(), forMachines);
  await open("/settings/instance");
  assert.doesNotMatch(await textWithoutDetails(page.locator("main")), forMachines);
  await open("/me/profile");
  assert.doesNotMatch(await textWithoutDetails(page.locator("main")), forMachines);
  await ask(`/api/admin/user-admin/${userId}`, { method: "DELETE" });
});

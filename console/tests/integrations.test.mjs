// Another system is told of what happens: from making the integration to what its receiver said.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { beforeEach, test } from "node:test";
import { api, choose, freshName, post, put, typeAndDelete, userNamed } from "./administration.mjs";
import { admin, ask, assertAccessible, assertAtPeace, eventually, forgetSession, visitor } from "./chromium.mjs";

let name;

beforeEach(() => {
  name = freshName();
});

/** Takes requests, and answers as `say` tells at the time. */
async function receiver(t) {
  const got = [];
  const state = { status: 200, got };
  const listening = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      got.push({ id: request.headers["webhook-id"], body: JSON.parse(Buffer.concat(parts)) });
      response.writeHead(state.status).end(state.status === 200 ? "" : "not today");
    });
  });
  await new Promise((resolve) => listening.listen(0, "127.0.0.1", resolve));
  t.after(() => listening.close());
  state.url = `http://127.0.0.1:${listening.address().port}/hook/of-${name}`;
  return state;
}

const integrationCalled = async (description) =>
  (await ask(`${api}/addons`)).addons.find((one) => one.description === description);

const webhook = (url, more = {}) =>
  post("/addons", {
    provider: "webhook",
    enabled: true,
    description: name,
    parameters: { url },
    events: ["feature-environment-enabled"],
    projects: ["webshop"],
    ...more,
  });

async function switchOn(feature) {
  await post("/projects/webshop/features", { name: feature });
  const environment = `/projects/webshop/features/${feature}/environments/development`;
  await post(`${environment}/strategies`, { name: "default" });
  await post(`${environment}/on`, {});
}

test("a webhook is created, tried, told, tried again after 500, given up after 404, and told once more", async (t) => {
  const hook = await receiver(t);
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/integrations");
  await page.getByRole("button", { name: "New integration" }).click();
  const making = page.getByRole("dialog", { name: "New integration" });
  const make = making.getByRole("button", { name: "Create" });
  assert.equal(await make.getAttribute("aria-disabled"), "true", "a kind is missing");
  await choose(page, making.getByRole("combobox", { name: "Type" }), "Webhook");
  await making.getByLabel("Description").fill(name);
  const address = making.getByLabel("Address");
  await address.fill("nowhere");
  const events = making.getByRole("combobox", { name: "Events" });
  await events.fill("switched");
  const on = page.getByRole("option", { name: "switched on … in … (feature-environment-enabled)" });
  await on.waitFor();
  assert.equal(await page.getByRole("option").count(), 2, "on and off");
  await on.click();
  await page.keyboard.press("Escape");
  await choose(page, making.getByRole("combobox", { name: "Projects" }), "webshop");
  await page.keyboard.press("Escape");
  await make.click();
  await making
    .getByText(/absolute/)
    .first()
    .waitFor();
  assert.equal(await address.getAttribute("aria-invalid"), "true", "what the server says stands at the field");
  assert.equal(await integrationCalled(name), undefined);
  await address.fill(hook.url);
  await making.getByText("Request", { exact: true }).click();
  assert.ok(!(await making.getByRole("region", { name: "As a command" }).innerText()).includes("/hook/"));
  await make.click();

  const drawer = page.getByRole("dialog", { name });
  await drawer.getByRole("button", { name: "Test", exact: true }).click();
  await drawer.getByRole("status").getByText("Delivered.").waitFor();
  assert.equal(hook.got.length, 1);
  assert.equal(hook.got[0].body.type, "feature-environment-enabled");
  const { id, parameters, projects } = await integrationCalled(name);
  assert.deepEqual([parameters, projects], [{ url: "*****" }, ["webshop"]]);
  assert.equal(await drawer.getByLabel("Address").inputValue(), "*****");

  hook.status = 500;
  await drawer.getByText("Log", { exact: true }).click();
  await drawer.getByText("Nothing was delivered yet").waitFor();
  await switchOn(name);
  const log = drawer.getByRole("list", { name: "Deliveries" });
  const only = log.getByRole("listitem");
  await only.getByText("waiting", { exact: true }).waitFor();
  const next = only.getByText(/the next is at/);
  const due = await next.locator("time").getAttribute("datetime");
  const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  assert.match(await next.innerText(), new RegExp(`the next is at \\d{4}(-\\d\\d){2} [\\d:]{8} \\(${zone}\\)\\.$`));
  assert.ok(Date.parse(due) > Date.now() - 60_000, due);
  await only.getByText(/500.*not today/).waitFor();
  await only.getByText(`switched on ${name} in development`).waitFor();
  hook.status = 404;
  // The second attempt comes after 5 seconds; where that was too soon for this test, the third 30 later, or the fourth.
  await only.getByText("failed", { exact: true }).waitFor({ timeout: 240_000 });
  await only.getByText(/404/).waitFor();
  await only.getByText(/[2-9] attempts$/).waitFor();
  await only.getByText("What was sent").click();
  await only.getByText(`"featureName": "${name}"`).waitFor();
  assert.ok(!(await only.innerText()).includes("/hook/"), "the address is a secret");
  await page.getByRole("button", { name: "Close" }).click();
  // The list shows those of its rows that there is room for.
  await page.getByLabel("Type or description").fill(name);
  await page.getByRole("row", { name }).getByText("failing since").waitFor();

  hook.status = 200;
  await page.getByRole("button", { name: `Log of ${name}` }).click();
  await only.getByRole("button", { name: "Deliver again" }).click();
  await only.getByText("delivered", { exact: true }).waitFor();
  const ids = hook.got.slice(1).map((one) => one.id);
  assert.ok(ids.length >= 3);
  assert.equal(new Set(ids).size, 1, "one delivery keeps its id");
  assert.equal((await ask(`${api}/addons/${id}`)).failingSince, null);
  await assertAtPeace(seen);
});

test("events are chosen together by what they are about", async (t) => {
  const hook = await receiver(t);
  const { id } = await webhook(hook.url);
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/integrations?open=${id}`);
  const drawer = page.getByRole("dialog", { name });
  const together = drawer.getByRole("group", { name: "Events chosen together" });
  await together.getByRole("button", { name: "Everything" }).click();
  await drawer.getByText("144 types of events are chosen.").waitFor();
  await together.getByRole("button", { name: "Production changes" }).click();
  await drawer.getByText("switched off … in … (feature-environment-disabled)").waitFor();
  await assertAccessible(page, "the events of an integration");
  await drawer.getByRole("button", { name: "Save", exact: true }).click();
  await eventually(
    () => ask(`${api}/addons/${id}`),
    ({ events, environments }) =>
      events.length === 7 &&
      !events.includes("feature-created") &&
      environments.includes("production") &&
      !environments.includes("development"),
  );
  await page.getByRole("row").filter({ hasText: name }).getByText("production changes, in").waitFor();
  await assertAtPeace(seen);
});

test("all that failed is delivered again at once", async (t) => {
  const hook = await receiver(t);
  hook.status = 410;
  const { id } = await webhook(hook.url);
  await switchOn(`${name}-one`);
  await switchOn(`${name}-two`);
  const { page, open } = await visitor({ as: admin });
  await open(`/integrations?open=${id}&tab=log`);
  const items = page.getByRole("list", { name: "Deliveries" }).getByRole("listitem");
  await items.getByText("failed", { exact: true }).nth(1).waitFor();
  assert.match(await items.first().innerText(), new RegExp(`${name}-two`), "the newest is first");
  hook.status = 200;
  await page.getByRole("button", { name: "Deliver all that failed again" }).click();
  await items.getByText("delivered", { exact: true }).nth(1).waitFor();
  assert.equal(await items.count(), 2);
});

test("two people change one integration: nothing is lost, and secrets are given again with what they are sent in", async (t) => {
  const hook = await receiver(t);
  const stored = await webhook(hook.url);
  const { page, open } = await visitor({ as: admin });
  await open(`/integrations?open=${stored.id}`);
  const drawer = page.getByRole("dialog", { name });
  await drawer.getByLabel("Content type").fill("text/plain");
  await drawer.getByLabel("Address").fill(hook.url);
  await put(`/addons/${stored.id}`, {
    provider: "webhook",
    enabled: false,
    description: name,
    parameters: { url: "*****" },
    events: stored.events,
    projects: ["webshop"],
    environments: ["production"],
  });
  await drawer.getByRole("button", { name: "Save", exact: true }).click();
  const conflict = page.getByRole("dialog", { name: "Somebody changed it while you were editing" });
  await conflict.getByRole("row", { name: /environments.*production/ }).waitFor();
  await conflict.getByRole("button", { name: "Put mine on top" }).click();
  await eventually(
    () => ask(`${api}/addons/${stored.id}`),
    ({ enabled, environments, parameters }) =>
      !enabled && environments[0] === "production" && parameters.contentType === "text/plain",
  );
  await post(`/addons/${stored.id}/test`, {});
  const tried = hook.got.filter(({ body }) => body.type === "feature-environment-enabled");
  assert.equal(tried.length, 1, "the address is still known");

  await open(`/integrations?open=${stored.id}`);
  await drawer.getByRole("button", { name: "Delete …" }).click();
  await typeAndDelete(page, name);
  await eventually(
    () => integrationCalled(name),
    (found) => found === undefined,
  );
});

test("somebody who may only look is told what is missing", async (t) => {
  const hook = await receiver(t);
  const { id } = await webhook(hook.url);
  const viewer = { username: `${name}-viewer`, password: "Tests-Person-1" };
  await userNamed(viewer.username);
  const { page, open } = await visitor({ as: viewer });
  await open("/integrations");
  const make = page.getByRole("button", { name: "New integration" });
  assert.equal(await make.getAttribute("aria-disabled"), "true");
  await make.hover();
  await page.getByText("Needs “Create integrations”").waitFor();
  await open(`/integrations?open=${id}`);
  const test = page.getByRole("button", { name: "Test", exact: true });
  await test.hover();
  await page.getByText("Needs “Update integrations”").waitFor();
  await open(`/integrations?open=${id}&tab=log`);
  await page.getByRole("alert").getByText("Needs “Administrator”").waitFor();
  assert.equal(hook.got.length, 0);
  forgetSession(viewer);
});

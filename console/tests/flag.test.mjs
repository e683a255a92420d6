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

test("environments are compared, and one is copied to production after a dry run, with a reason, and restored", async () => {
  const name = await withStrategies({ development: "30", production: "10" });
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(pageOf(name));
  await page.getByRole("button", { name: "Compare environments" }).click();
  const drawer = page.getByRole("dialog", { name: "Compare environments" });
  await drawer.getByText("2 differences.").waitFor();
  await drawer.getByRole("row", { name: /Strategy.*30 %.*none/ }).waitFor();
  await assertAccessible(page, "two environments side by side");
  await drawer.getByRole("button", { name: "Copy development to production …" }).click();
  const question = page.getByRole("dialog", { name: "Copy development to production" });
  await question.getByRole("row", { name: /none.*30 %/ }).waitFor();
  await question.getByText(/The server says: .*strategy/).waitFor();
  const shares = async () => (await ask(strategiesOf(name, "production"))).map(({ parameters }) => parameters.rollout);
  assert.deepEqual(await shares(), ["10"]);
  await question.getByLabel("Why (kept in the event log)").fill("größer, ticket 7");
  await question.getByRole("button", { name: "Copy to production" }).click();
  await eventually(shares, (now) => now.join() === "30");
  await drawer.getByText("There is no difference.").waitFor();
  const { events } = await ask(`/api/admin/search/events?feature=IS:${name}&limit=20`);
  const ofCopy = events.filter(({ type, environment }) => /strategy/.test(type) && environment === "production");
  assert.equal(ofCopy[0].reason, "größer, ticket 7");
  await takeBack(page, shares, (now) => now.join() === "30", "as in development", "Restore production");
  await eventually(shares, (now) => now.join() === "10");
  await assertAtPeace(seen);
});

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
  await page.getByRole("switch", { name: `${name} in production`, checked: true }).press("Space");
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

test("a flag is cloned, and moved to another project", async () => {
  const name = await withStrategies({ development: "40" });
  const elsewhere = `${id}-moved`;
  await ask("/api/admin/projects", { method: "POST", body: { id: elsewhere, name: "Elsewhere" } });
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(pageOf(name));
  const more = page.getByRole("button", { name: "More actions" });
  await more.click();
  await page.getByRole("menuitem", { name: "Clone …" }).click();
  const form = page.getByRole("dialog", { name: `Clone ${name}` });
  await form.getByRole("textbox", { name: "Name" }).fill(name);
  await form.getByRole("button", { name: `Create ${name}` }).click();
  await form.getByRole("alert").waitFor();
  await form.getByRole("textbox", { name: "Name" }).fill(`${name}-twin`);
  await assertAccessible(page, "the form of a clone");
  await form.getByRole("button", { name: `Create ${name}-twin` }).click();
  await page.getByRole("heading", { level: 1, name: `${name}-twin` }).waitFor();
  const [twin] = await ask(strategiesOf(`${name}-twin`, "development"));
  assert.deepEqual([twin.parameters.rollout, twin.parameters.groupId], ["40", `${name}-twin`]);

  await more.click();
  await page.getByRole("menuitem", { name: "Move to another project …" }).click();
  const move = page.getByRole("dialog", { name: `Move ${name}-twin to another project` });
  await move.getByRole("combobox", { name: "Project" }).fill("Elsewhere");
  await page.getByRole("option", { name: "Elsewhere" }).click();
  await move.getByRole("button", { name: `Move to ${elsewhere}` }).click();
  await page.waitForURL(`**/projects/${elsewhere}/features/${name}-twin`);
  assert.equal((await ask(`/api/admin/projects/${elsewhere}/features/${name}-twin`)).project, elsewhere);
  await assertAtPeace(seen);
});

test("the name is copied, and the description edited where it stands", async () => {
  const name = await freshFeature();
  const { page, open, context } = await visitor({ as: admin });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(pageOf(name));
  await page.getByRole("button", { name: "Copy the name" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), name);
  await page.getByRole("button", { name: "Edit the description" }).click();
  const field = page.getByRole("textbox", { name: "Description" });
  await field.fill("For the spring sale");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await field.waitFor({ state: "hidden" });
  await page.getByText("For the spring sale").waitFor();
  const description = async () => (await stored(name)).description;
  await takeBack(page, description, (now) => now === "For the spring sale");
  await eventually(description, (now) => !now);
});

test("links are added, by the templates of the project too, changed and removed", async () => {
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/settings`);
  const templates = page.getByRole("form", { name: "Links of new flags" });
  await templates.getByRole("button", { name: "Add link" }).click();
  const first = templates.getByRole("group", { name: "Link 1" });
  await first.getByLabel("Title").fill("Board");
  await first.getByLabel("Address").fill("ftp://example.com");
  await first.getByText("The address must begin with https:// or http://.").waitFor();
  await first.getByLabel("Address").fill("https://board.example.com/{{project}}/{{feature}}");
  await templates.getByRole("button", { name: "Save" }).click();
  await eventually(
    async () => (await ask(`${project}/overview`)).linkTemplates,
    ([one]) => one?.title === "Board",
  );
  const name = await freshFeature();
  const links = async () => (await stored(name)).links.map(({ url, title }) => [title, url]);
  const board = `https://board.example.com/${id}/${name}`;
  assert.deepEqual(await links(), [["Board", board]]);

  await open(pageOf(name));
  const card = page.getByRole("region", { name: "Links" });
  await card.getByRole("button", { name: "Remove Board" }).click();
  await eventually(links, (left) => left.length === 0);
  await card.getByRole("button", { name: "Add Board" }).click();
  const form = page.getByRole("dialog");
  assert.equal(await form.getByLabel("Address").inputValue(), board);
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await eventually(links, ([one]) => one?.[1] === board);
  await card.getByRole("button", { name: "Add link" }).click();
  await form.getByLabel("Address").fill("javascript:alert(1)");
  await form.getByText("The address must begin with https:// or http://.").waitFor();
  await form.getByLabel("Address").fill("tickets.example.com/7");
  await form.getByLabel("Title").fill("Ticket");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  const ticket = card.getByRole("link", { name: "Ticket" });
  await ticket.waitFor();
  assert.equal(await ticket.getAttribute("href"), "https://tickets.example.com/7");
  await card.getByRole("button", { name: "Edit Ticket" }).click();
  await form.getByLabel("Title").fill("Ticket 7");
  await form.getByRole("button", { name: "Save" }).click();
  await eventually(links, (now) => now.some(([title]) => title === "Ticket 7"));
});

test("a flag depends on another one being off, or being on with a variant", async () => {
  const [off, varied, child] = [await freshFeature(), await freshFeature(), await freshFeature()];
  const variant = (name) => ({ name, weight: 500, weightType: "variable", stickiness: "default" });
  await ask(`${project}/features/${varied}/environments/development/variants`, {
    method: "PUT",
    body: [variant("blue"), variant("green")],
  });
  const { page, open } = await visitor({ as: admin });
  await open(`${pageOf(child)}/settings`);
  const card = page.getByRole("region", { name: "Dependencies" });
  const choose = async (what, option) => {
    await card.getByRole("combobox", { name: what }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  await choose("Parent", off);
  await choose("Only where it", "is off");
  await card.getByRole("button", { name: "Depend on it" }).click();
  await card.getByText(`${off} being off`).waitFor();
  await choose("Parent", varied);
  await choose("Only where it", "is on with a variant");
  assert.equal(await card.getByRole("button", { name: "Depend on it" }).isDisabled(), true);
  await choose("Variants", "green");
  await card.getByRole("button", { name: "Depend on it" }).click();
  await card.getByText(`${varied} being on with green`).waitFor();
  const dependencies = (await stored(child)).dependencies;
  const of = (name) => dependencies.find(({ feature }) => feature === name);
  assert.equal(of(off).enabled, false);
  assert.deepEqual([of(varied).enabled, of(varied).variants], [true, ["green"]]);
  await open(pageOf(child));
  await page.getByText("being on with green").waitFor();
});

test("usage is told by result, application and variant, with a scale and a legend in words", async () => {
  const name = await freshFeature();
  // The figures are those of the last hour that the picture has, until this is over.
  const hour = 3_600_000;
  const left = hour - (Date.now() % hour);
  if (left < 120_000) await new Promise((resolve) => setTimeout(resolve, left + 1000));
  const now = Date.now();
  const bucket = (yes, no, variants) => ({
    start: new Date(Math.max(now - 60_000, now - (now % hour))).toISOString(),
    stop: new Date(now).toISOString(),
    toggles: { [name]: { yes, no, variants } },
  });
  for (const [appName, told] of [
    ["shop", bucket(40, 2, { blue: 30, green: 10 })],
    ["till", bucket(5, 53, {})],
  ]) {
    const answer = await fetch(`${server}/api/client/metrics`, {
      method: "POST",
      headers: { authorization: process.env.FLAGSTONE_CLIENT_TOKEN, "content-type": "application/json" },
      body: JSON.stringify({ appName, instanceId: "one", bucket: told }),
    });
    assert.equal(answer.status, 202);
  }
  await eventually(
    () => ask(`/api/admin/client-metrics/features/${name}/raw`),
    ({ data }) => data.length === 2,
  );
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`${pageOf(name)}/usage?env=development`);
  const figure = page.getByRole("figure");
  await figure.getByRole("heading", { name: "45 % of 100 evaluations were enabled in the last 48 hours" }).waitFor();
  const legend = () => figure.getByRole("list").getByRole("listitem").allTextContents();
  assert.deepEqual(await legend(), ["enabled", "disabled"]);
  await figure.getByText("100", { exact: true }).waitFor();
  await page.getByText("By application", { exact: true }).click();
  await figure.getByText(/: 58 till, 42 shop/).waitFor();
  assert.deepEqual(await legend(), ["till", "shop"]);
  await page.getByText("By variant", { exact: true }).click();
  await figure.getByText(/: 60 no variant, 30 blue, 10 green/).waitFor();
  await assertAccessible(page, "usage by variant");
  const marks = () => figure.locator("[data-side]").allTextContents();
  assert.ok(
    (await marks()).every((mark) => /^\d\d[-:]\d\d$/.test(mark)),
    "hours, and days at midnight",
  );

  for (const [period, heading, of, label] of [
    ["30 days", "in the last 30 days", "Day", /^\d{4}-\d\d-\d\d$/],
    ["24 months", "in the last 24 months", "Month", /^\d{4}-\d\d$/],
  ]) {
    await page.getByText(period, { exact: true }).click();
    await figure.getByRole("heading", { name: `45 % of 100 evaluations were enabled ${heading}` }).waitFor();
    await figure.getByText(/: 60 no variant, 30 blue, 10 green/).waitFor();
    await figure.getByText("As a table").click();
    const table = figure.getByRole("table");
    await table.getByRole("columnheader", { name: of }).waitFor();
    const rows = await table.getByRole("row").allTextContents();
    assert.equal(rows.length - 1, Number.parseInt(period, 10));
    assert.match(await table.getByRole("cell").first().textContent(), label);
    assert.match(rows.at(-1), /603010$/);
    assert.ok((await marks()).length >= 4, `${period} has an axis`);
    await assertAccessible(page, `usage over ${period}`);
    await figure.getByText("As a table").click();
  }
  assert.match(page.url(), /period=24m/);
  await page.reload();
  await figure.getByRole("heading", { name: /in the last 24 months/ }).waitFor();
  await assertAtPeace(seen);
});

test("no text leaves its card at 1280 and 1440, with three environments and with eight", async () => {
  const name = await withStrategies({ development: "10", production: "25" });
  for (const [width, count] of [
    [1280, 3],
    [1440, 8],
    [1280, 8],
  ]) {
    const { page, open } = await visitor({ as: admin, size: { width, height: 900 } });
    await page.route(new RegExp(`/features/${name}\\?`), async (route) => {
      const response = await route.fetch();
      const feature = await response.json();
      const [first, last] = [feature.environments[0], feature.environments.at(-1)];
      const more = Array.from({ length: count - 2 }, (_, at) => ({ ...first, name: `staging-of-team-${at}` }));
      feature.environments = [first, ...more, last].map((one) => ({
        ...one,
        yes: 115_100,
        no: 38_353,
        lastSeenAt: new Date(Date.now() - 180_000).toISOString(),
      }));
      await route.fulfill({ response, json: feature });
    });
    await open(pageOf(name));
    assert.equal(await page.locator("section.card").count(), count);
    const out = await page.evaluate(() =>
      [...document.querySelectorAll("section.card")].flatMap((card) => {
        const edge = card.getBoundingClientRect().right;
        return [...card.querySelectorAll("span, div, button, time")]
          .filter((one) => one.getBoundingClientRect().right > edge + 1)
          .map((one) => one.textContent);
      }),
    );
    assert.deepEqual(out, [], `${count} environments at ${width}`);
  }
});

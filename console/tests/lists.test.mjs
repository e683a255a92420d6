// Lists of flags: dense, narrowed, kept as views, and changed many at once.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { beforeEach, test } from "node:test";
import { choose } from "./administration.mjs";
import {
  admin,
  ask,
  assertAccessible,
  assertAtPeace,
  eventually,
  forgetSession,
  keep,
  narrow,
  server,
  signIn,
  takeBack,
  visitor,
} from "./chromium.mjs";
import { freshFeature, id, person, project } from "./own-project.mjs";

let name;

beforeEach(async () => {
  name = await freshFeature();
});

async function make(...parts) {
  const names = parts.map((part) => `${name}-${part}`);
  for (const one of names)
    await ask(`${project}/features`, { method: "POST", body: { name: one, description: `of ${one}` } });
  return names;
}
const on = (feature, environment) =>
  ask(`${project}/features/${feature}/environments/${environment}/on`, { method: "POST" });
const archived = async () =>
  (await ask(`/api/admin/archive/features/${id}`)).features
    .map((one) => one.name)
    .filter((one) => one.startsWith(`${name}-`))
    .sort();

async function select(seen, query, count) {
  await seen.open(`/projects/${id}/features?query=${query}`);
  await seen.page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await seen.page.getByText(`${count} selected`).waitFor();
}

async function begin(page, item) {
  await page.getByRole("button", { name: "Change them …" }).click();
  await page.getByRole("menuitem", { name: item }).click();
  return page.getByRole("dialog");
}

test("a parent of a flag that stays is left out of an archive, or its child goes along", async () => {
  const [free, parent, child] = await make("free", "parent", "other");
  await ask(`${project}/features/${child}/dependencies`, { method: "POST", body: { feature: parent } });
  await on(child, "production");
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await seen.open(`/projects/${id}/features?query=${name}-`);
  for (const one of [free, parent]) await page.getByRole("checkbox", { name: `Select ${one}`, exact: true }).check();
  const preview = await begin(page, "Archive");
  await preview.getByText("1 can be archived; 1 cannot:").waitFor();
  await preview.getByText(`${parent}: ${child} depends on it.`).waitFor();
  await preview.getByRole("button", { name: "Archive the other one" }).waitFor();
  await assertAccessible(page, "a preview with flags that are left out");
  await keep(page, "bulk left out");
  await preview.getByRole("button", { name: "Take its child along" }).click();
  await preview.getByText("3 flags will be archived. 1 of them is on in ▲ production now").waitFor();
  await preview.getByText(`${child} ${id}, archived, no longer depends on ${parent}, on in ▲ production`).waitFor();
  assert.equal(await preview.getByText("no longer depends on").count(), 1, "the others depended on nothing");
  await preview.getByRole("button", { name: "Archive", exact: true }).click();
  await takeBack(page, archived, (found) => found.length === 3, "archived", "Revive them");
  await eventually(archived, (found) => found.length === 0);
  await assertAtPeace(seen);
});

test("one flag that left the project meanwhile does not stand for a missing permission", async () => {
  const [gone, stays] = await make("gone", "stays");
  const other = `${name}-elsewhere`;
  await ask("/api/admin/projects", { method: "POST", body: { id: other, name: other } });
  const { page, ...seen } = await visitor({ as: admin });
  // The list goes on showing what it read.
  await page.route(/search\/events\?limit=1$/, (route) => route.abort());
  await select({ page, ...seen }, `${name}-`, 2);
  await ask(`${project}/features/${gone}/changeProject`, { method: "POST", body: { newProjectId: other } });
  const preview = await begin(page, "Archive");
  await preview.getByText("1 can be archived; 1 cannot:").waitFor();
  assert.equal(await page.getByText("You may not").count(), 0);
  await preview.getByRole("button", { name: "Archive the other one" }).click();
  await eventually(archived, (found) => found.includes(stays));
  assert.deepEqual(await archived(), [stays]);
});

test("says what changes, not what was selected, and in production how many of them are on", async () => {
  const [one, two] = await make("one", "two", "three");
  await on(one, "development");
  await on(two, "production");
  const seen = await visitor({ as: admin });
  await select(seen, `${name}-`, 3);
  const switching = await begin(seen.page, "Switch off in development");
  await switching.getByText("1 flag will be switched off in development. 2 are like that already.").waitFor();
  await switching.getByRole("button", { name: "Cancel" }).click();
  const archiving = await begin(seen.page, "Archive");
  await archiving.getByText("3 flags will be archived. 1 of them is on in ▲ production now").waitFor();
  await archiving.getByText(`${two} ${id}, archived, on in ▲ production`).waitFor();
});

test("tags many, and takes back only what each had not before", async () => {
  const [had, lacked] = await make("had", "lacked");
  const tag = { type: "simple", value: `${name}-t` };
  await ask(`/api/admin/features/${had}/tags`, { method: "POST", body: tag });
  const tagsOf = async (feature) =>
    (await ask(`/api/admin/features/${feature}/tags`)).tags.map(({ value }) => value).join();
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await select(seen, `${name}-`, 2);
  const form = await begin(page, "Add or remove tags …");
  await form.getByLabel("Add").fill(`simple:${tag.value}`);
  await page.keyboard.press("Enter");
  await form.getByRole("button", { name: "Preview" }).click();
  const preview = page.getByRole("dialog", { name: "Tag them" });
  await preview.getByText(`1 flag will be tagged simple:${tag.value}. 1 is like that already.`).waitFor();
  await preview.getByRole("button", { name: "Tag them" }).click();
  await takeBack(
    page,
    () => tagsOf(lacked),
    (tags) => tags === tag.value,
  );
  await eventually(
    () => tagsOf(lacked),
    (tags) => tags === "",
  );
  assert.equal(await tagsOf(had), tag.value);
});

test("moves many to another project, and names those that cannot go", async () => {
  const [free, parent, child] = await make("free", "parent", "kid");
  await ask(`${project}/features/${child}/dependencies`, { method: "POST", body: { feature: parent } });
  const to = `${name}-target`;
  await ask("/api/admin/projects", { method: "POST", body: { id: to, name: to } });
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await select(seen, `${name}-`, 3);
  const form = await begin(page, "Move to another project …");
  await choose(page, form.getByRole("combobox", { name: "Project" }), to);
  await form.getByRole("button", { name: "Preview" }).click();
  const preview = page.getByRole("dialog", { name: `Move them to ${to}` });
  await preview.getByText(`1 can be moved to ${to}; 2 cannot:`).waitFor();
  await preview.getByText(`${child}: It depends on another flag.`).waitFor();
  await preview.getByRole("button", { name: `Move the other one to ${to}` }).click();
  const there = async () => (await ask(`/api/admin/projects/${to}/features`)).features.map((one) => one.name).join();
  await takeBack(page, there, (names) => names === free);
  await eventually(there, (names) => names === "");
});

test("exports what is selected", async () => {
  const names = await make("x", "y");
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await select(seen, `${name}-`, 2);
  const form = await begin(page, "Export …");
  const saved = page.waitForEvent("download");
  await form.getByRole("button", { name: "Export 2" }).click();
  const { features } = JSON.parse(await readFile(await (await saved).path(), "utf8"));
  assert.deepEqual(features.map((one) => one.name).sort(), names);
  await assertAtPeace(seen);
});

test("revives many after a preview", async () => {
  const names = await make("x", "y");
  for (const one of names) await ask(`${project}/features/${one}`, { method: "DELETE" });
  const { page, open } = await visitor({ as: admin });
  await open(`/projects/${id}/archive`);
  for (const one of names) await page.getByRole("checkbox", { name: `Select ${one}`, exact: true }).check();
  await page.getByRole("button", { name: "Revive …" }).click();
  const preview = page.getByRole("dialog", { name: "Revive" });
  await preview.getByText("2 flags will be revived.").waitFor();
  assert.deepEqual(await archived(), names);
  await preview.getByRole("button", { name: "Revive" }).click();
  await eventually(archived, (found) => found.length === 0);
});

test("rows are one line of 36 px, production is never cut, and columns are kept for each person", async () => {
  const [one] = await make("a-rather-long-name-as-teams-with-conventions-give-them", "b");
  for (const value of ["checkout-team", "payments-department"])
    await ask(`/api/admin/features/${one}/tags`, { method: "POST", body: { type: "simple", value } });
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/features?query=${name}-`);
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: one }) });
  const inSight = async () => {
    const [list, cell] = await Promise.all([
      page.getByRole("region", { name: "Feature flags" }).boundingBox(),
      row.locator("td.production").boundingBox(),
    ]);
    assert.ok(cell.x >= list.x && cell.x + cell.width <= list.x + list.width + 1, "production is in sight");
  };
  await row.waitFor();
  assert.ok((await row.boundingBox()).height <= 37);
  await inSight();
  const nameCell = row.getByRole("cell").nth(1);
  assert.ok((await nameCell.boundingBox()).width >= 260);
  assert.match(await row.getByRole("link", { name: one }).getAttribute("title"), /simple:payments-department/);

  await page.getByRole("button", { name: "Columns" }).click();
  for (const column of ["Tags", "Created", "Created by", "Stage"])
    await page.getByRole("checkbox", { name: column, exact: true }).check();
  await page.keyboard.press("Escape");
  await row.getByText("simple:checkout-team, simple:payments-department").waitFor();
  assert.ok((await row.boundingBox()).height <= 37, "still one line");
  await inSight();
  await assertAccessible(page, "a list with all columns");
  await keep(page, "dense rows");
  await page.reload();
  await row.getByText("simple:checkout-team").waitFor();
  await signIn(seen.context, await person(`${name}-other`, 1));
  forgetSession(admin);
  await open(`/features?query=${name}-`);
  await page.getByRole("columnheader", { name: "Type" }).waitFor();
  assert.equal(await page.getByRole("columnheader", { name: "Tags" }).count(), 0, "those of somebody else");
  await assertAtPeace(seen);
});

test("on a phone filters are behind a button, and cards show the name and all switches", async () => {
  const [one] = await make("a", "b");
  const seen = await visitor({ as: admin, size: narrow });
  const { page, open } = seen;
  await open(`/features?query=${name}-`);
  const filter = page.getByRole("button", { name: "Type", exact: true });
  await page.getByRole("link", { name: one }).waitFor();
  assert.equal(await filter.count(), 0);
  for (const where of ["development", "production"]) {
    const box = await page
      .getByRole("switch", { name: `${one} in ${where}` })
      .locator("xpath=..")
      .boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= narrow.width, `${where} is in sight`);
  }
  await assertAccessible(page, "cards");
  await keep(page, "cards");
  await page.getByRole("button", { name: "Filters" }).click();
  await filter.click();
  await page.getByRole("checkbox", { name: "Kill switch" }).check();
  await page.keyboard.press("Escape");
  await page.getByText("Nothing fits all of these:").waitFor();
  await page.getByRole("button", { name: "Filters (1)" }).waitFor();
  await assertAtPeace(seen);
});

test("filters by creator, day and several states of switches, all of them in the address", async () => {
  const [one, two] = await make("on-dev", "on-prod", "off");
  await on(one, "development");
  await on(two, "production");
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/features?query=${name}-`);
  const count = (told) => page.getByText(told, { exact: true }).waitFor();
  await count("1–3 of 3");
  const states = page.getByRole("combobox", { name: "Switched" });
  await states.click();
  for (const state of ["On in development", "On in production"])
    await page.getByRole("option", { name: state, exact: true }).click();
  await count("1–2 of 2");
  assert.deepEqual(new URL(page.url()).searchParams.getAll("status"), ["development:enabled", "production:enabled"]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Created", exact: true }).click();
  await page.getByLabel("Day, in UTC").fill("2020-01-01");
  await count("1–2 of 2");
  await page.getByRole("radio", { name: "before" }).check();
  await page.getByText("Nothing fits all of these:").waitFor();
  assert.match(page.url(), /createdAt=IS_BEFORE%3A2020-01-01/);

  await open(`/features?query=${name}-`);
  const { flagCreators } = await ask("/api/admin/flag-creators?limit=1000");
  await page.getByRole("button", { name: "Creator", exact: true }).click();
  const creator = flagCreators.find((found) => found.id === -42) ?? flagCreators[0];
  await page.getByRole("checkbox", { name: creator.name, exact: true }).check();
  await page.getByRole("button", { name: `Creator is ${creator.name}` }).waitFor();
  await page.waitForFunction((wanted) => location.search.includes(wanted), `createdBy=IS_ANY_OF%3A${creator.id}`);
  await assertAtPeace(seen);
});

test("filters by favourites and by when flags were last seen, kept in the address and in views", async () => {
  const [one, two] = await make("seen-marked", "seen", "never");
  const start = new Date(Date.now() - 60_000).toISOString();
  const toggles = Object.fromEntries([one, two].map((flag) => [flag, { yes: 1, no: 0 }]));
  const told = await fetch(`${server}/api/client/metrics`, {
    method: "POST",
    headers: { authorization: process.env.FLAGSTONE_CLIENT_TOKEN, "content-type": "application/json" },
    body: JSON.stringify({ appName: "shop", bucket: { start, stop: new Date().toISOString(), toggles } }),
  });
  assert.equal(told.status, 202);
  const later = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  await eventually(
    () => ask(`/api/admin/search/features?query=${name}-&lastSeenAt=IS_BEFORE:${later}`),
    ({ total }) => total === 2,
  );
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/features?query=${name}-`);
  const count = (shown) => page.getByText(shown, { exact: true }).waitFor();
  await count("1–3 of 3");
  await page.getByRole("button", { name: `Favourite: ${one}` }).click();
  await page.locator(`[aria-pressed=true][aria-label="Favourite: ${one}"]`).waitFor();

  await page.getByRole("button", { name: "Last seen", exact: true }).click();
  await page.getByRole("radio", { name: "before" }).check();
  await page.getByLabel("Day, in UTC").fill(later);
  await count("1–2 of 2");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: `Last seen before ${later}` }).waitFor();
  await page.getByRole("button", { name: "Favourites", exact: true }).click();
  await count("1–1 of 1");
  await page.getByRole("link", { name: one, exact: true }).waitFor();
  const { searchParams } = new URL(page.url());
  assert.deepEqual([searchParams.get("favorites"), searchParams.get("lastSeenAt")], ["true", `IS_BEFORE:${later}`]);
  await assertAccessible(page, "favourites that were seen");

  await page.getByRole("button", { name: "Views" }).click();
  await page.getByLabel("Save these filters as").fill("Mine, seen");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await open("/features");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("link", { name: "Mine, seen" }).click();
  await count("1–1 of 1");

  await open(`/features?query=${name}-&favorites=true&lastSeenAt=IS_BEFORE:2020-01-01`);
  await page.getByRole("button", { name: "Drop only favourites" }).waitFor();
  await page.getByRole("button", { name: "Drop last seen before 2020-01-01" }).click();
  await count("1–1 of 1");
  await assertAtPeace(seen);
});

test("a view is kept under a name and is an address; the list is saved as a file", async () => {
  const [one] = await make("x", "y");
  await on(one, "production");
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/features?query=${name}-&status=production:enabled`);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByLabel("Save these filters as").fill("Live ones");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "View: Live ones" }).waitFor();
  const shared = page.url();
  await open("/features");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("link", { name: "Live ones" }).click();
  await page.getByText("1–1 of 1", { exact: true }).waitFor();
  assert.equal(new URL(page.url()).search, new URL(shared).search);

  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as CSV" }).click();
  const [head, row, end] = (await readFile(await (await saved).path(), "utf8")).split("\r\n");
  assert.match(head, /^name,project,type,.*,production$/);
  assert.ok(row.startsWith(`${one},${id},`) && row.endsWith(",on"), row);
  assert.equal(end, "");
  await assertAtPeace(seen);
});

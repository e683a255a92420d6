// Directories with a token of their own, and which of them manages a user or a group.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { ownServer } from "./own-server.mjs";

// A token is seen to be used as soon as it is.
process.env.FLAGSTONE_JOB_PRESENCE_SECONDS = "1";
await ownServer();
const {
  admin,
  ask,
  assertAccessible,
  assertAtPeace,
  assertWithin,
  eventually,
  narrow,
  reach,
  server,
  takeBack,
  uncovered,
  visitor,
} = await import("./chromium.mjs");
const { api, choose, freshName, post, userNamed } = await import("./administration.mjs");
const { press, write } = await import("./second-factor.mjs");

const directoriesAt = `${api}/scim-settings/directories`;
const directories = async () => (await ask(directoriesAt)).directories;
const named = async (name) => (await directories()).find(({ directory }) => directory.name === name);

/** A request of a directory. */
const scim = (token, path, method = "GET", body = undefined) =>
  fetch(`${server}/scim${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
    body: body && JSON.stringify(body),
  });

async function created(token, path, body) {
  const answer = await scim(token, path, "POST", body);
  assert.equal(answer.status, 201, await answer.clone().text());
  return (await answer.json()).id;
}

const userOf = (token, email) =>
  created(token, "/Users", {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: email,
    active: true,
    emails: [{ value: email, primary: true }],
  });

const groupOf = (token, displayName, people = []) =>
  created(token, "/Groups", {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
    displayName,
    members: people.map((value) => ({ value })),
  });

const statusOf = async (token) => (await scim(token, "/Users")).status;

let name;

beforeEach(async () => {
  name = freshName();
  await post("/scim-settings", { enabled: true });
});

/** The token that a dialog shows, which is closed by the keyboard then. */
async function keepToken(page, of) {
  const shown = page.getByRole("dialog", { name: `The token of ${of}` });
  const token = (await shown.getByRole("region", { name: "The secret" }).innerText()).trim();
  await shown.getByText(`${server}/scim`, { exact: true }).waitFor();
  await assertAccessible(page, "a token that is shown once");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const [button, copied] of [
    ["Copy", token],
    ["Copy the address", `${server}/scim`],
  ]) {
    await press(page, shown.getByRole("button", { name: button, exact: true }));
    await eventually(
      () => page.evaluate(() => navigator.clipboard.readText()),
      (text) => text === copied,
    );
  }
  await page.keyboard.press("Escape");
  assert.equal(await shown.isVisible(), true, "a slip does not lose it");
  await press(page, shown.getByRole("button", { name: "I have kept it" }));
  await uncovered(page);
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href);
  assert.ok(!(kept + (await page.content())).includes(token), "the token is still somewhere");
  return token;
}

test("an administrator creates a directory, replaces its token and deletes it, by the keyboard alone", async () => {
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/settings/sign-in/scim");
  const section = page.getByRole("region", { name: "Directories", exact: true });
  await section.getByText("There is no directory besides the default one.").waitFor();
  await assertAccessible(page, "no directory");

  await press(page, section.getByRole("button", { name: "New directory" }));
  const form = page.getByRole("dialog", { name: "New directory" });
  const field = form.getByLabel("Name");
  await page.waitForFunction(() => document.activeElement?.matches("[role=dialog] input"));
  assert.equal(await form.getByRole("button", { name: "Create it" }).getAttribute("aria-disabled"), "true");
  await page.keyboard.press("Enter");
  assert.deepEqual(await directories(), [], "nothing is created without a name");
  await page.keyboard.type(` ${name} `);
  await page.keyboard.press("Enter");
  const first = await keepToken(page, name);
  const { directory } = await named(name);
  assert.equal(directory.createdBy, "admin");
  const rows = section.getByRole("row").filter({ hasText: name });
  await rows.getByText("by admin").waitFor();
  await rows.getByText("never").waitFor();

  // A name is had once: the field says so, and what was typed stays.
  await page.keyboard.press("n");
  await write(page, field, name);
  await page.keyboard.press("Enter");
  await form.getByText(`There is a directory named "${name}" already.`).waitFor();
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  assert.equal(await form.getByRole("alert").count(), 0, "it is said once");
  await assertAccessible(page, "a name that is taken");
  await reach(page, field);
  await page.keyboard.press("End");
  await page.keyboard.type("-other");
  await page.keyboard.press("Enter");
  await keepToken(page, `${name}-other`);

  const person = await userOf(first, `${name}@example.com`);
  const group = await groupOf(first, `${name}-crew`, [person]);
  await eventually(
    () => named(name),
    ({ lastUsedAt }) => lastUsedAt !== null,
  );
  await open("/settings/sign-in/scim");
  const row = section.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });
  await row.locator("time").nth(1).waitFor();
  const cells = await row.getByRole("cell").allInnerTexts();
  assert.match(cells[2], / ago$/);
  assert.deepEqual(cells.slice(3, 5), ["1", "1"]);
  await assertAccessible(page, "two directories");

  await press(page, row.getByRole("button", { name: `New token … ${name}` }));
  const renewal = page.getByRole("dialog", { name: `Create another token of ${name}` });
  await renewal.getByText("The token before stops working at once").waitFor();
  assert.equal(await statusOf(first), 200, "nothing happens before it is confirmed");
  await press(page, renewal.getByRole("button", { name: "Create it" }));
  const second = await keepToken(page, name);
  assert.notEqual(second, first);
  assert.deepEqual([await statusOf(first), await statusOf(second)], [401, 200]);

  await press(page, row.getByRole("button", { name: `Delete … ${name}` }));
  const deleting = page.getByRole("dialog", { name: `Delete the directory ${name}` });
  await deleting.getByText("1 user and 1 group are then managed by hand. Roles stay.").waitFor();
  await reach(page, deleting.getByLabel(/^Type /));
  await page.keyboard.type("another-name");
  await page.keyboard.press("Enter");
  assert.equal(await statusOf(second), 200, "nothing is deleted before its name is typed");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await row.waitFor({ state: "hidden" });
  assert.equal(await statusOf(second), 401);
  assert.deepEqual(
    (await directories()).map(({ directory }) => directory.name),
    [`${name}-other`],
  );
  for (const path of [`/user-admin/${person}`, `/groups/${group}`]) {
    const { scimId, scimDirectory } = await ask(api + path);
    assert.deepEqual([scimId, scimDirectory], [undefined, undefined], path);
  }
  await assertAtPeace(seen);
});

/** A directory with its id and its token. */
async function directoryNamed(name) {
  const { directory, token } = await post("/scim-settings/directories", { name });
  return { id: directory.id, token };
}

test("a user is linked to a directory that is chosen, which then manages them, and is taken back", async () => {
  const okta = await directoryNamed(`${name}-okta`);
  const { id } = await userNamed(name, { name, rootRole: 1 });
  const stored = () => ask(`${api}/user-admin/${id}`);
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/people/users?user=${id}`);
  const drawer = page.getByRole("dialog", { name: "User", exact: true });
  const section = drawer.getByRole("region", { name: "Directory" });
  await section.getByText("No directory manages this user.").waitFor();
  await choose(page, section.getByRole("combobox", { name: "Link to" }), `${name}-okta`);
  await section.getByRole("button", { name: "Link …" }).click();
  const linking = page.getByRole("dialog", { name: `Link ${name} to ${name}-okta` });
  await linking.getByText("whoever controls the entry can sign in as this user").waitFor();
  assert.equal((await stored()).scimLinked, undefined, "nothing happens before it is confirmed");
  await linking.getByRole("button", { name: "Link it" }).click();
  await takeBack(page, stored, ({ scimLinked, scimDirectory }) => scimLinked && scimDirectory === okta.id);
  await eventually(stored, ({ scimLinked }) => scimLinked === undefined);

  await section.getByText("No directory manages this user.").waitFor();
  await section.getByRole("button", { name: "Link …" }).click();
  await page
    .getByRole("dialog", { name: `Link ${name} to ${name}-okta` })
    .getByRole("button", { name: "Link it" })
    .click();
  await section.getByText(`Linked to ${name}-okta, which has changed nothing yet`).waitFor();
  await assertAccessible(page, "a user who is linked");
  const renamed = await scim(okta.token, `/Users/${id}`, "PATCH", {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
    Operations: [{ op: "replace", path: "displayName", value: `${name} of okta` }],
  });
  assert.equal(renamed.status, 200, await renamed.text());
  await open(`/people/users?user=${id}`);
  await section.getByText(`Managed by ${name}-okta.`).waitFor();
  await drawer.getByText("While SCIM is on, only the role is changed here.").waitFor();

  await section.getByRole("button", { name: "Take back …" }).click();
  const back = page.getByRole("dialog", { name: `Take ${name} of okta back from ${name}-okta` });
  await back.getByText("Names, email and whether they can sign in are changed here again.").waitFor();
  await back.getByRole("button", { name: "Take it back" }).click();
  await section.getByText("No directory manages this user.").waitFor();
  const { scimId, scimLinked, scimDirectory, rootRole } = await stored();
  assert.deepEqual([scimId, scimLinked, scimDirectory, rootRole], [undefined, undefined, undefined, 1]);
  await assertAtPeace(seen);
});

test("a group of the default directory is handed over to another one, on a phone", async () => {
  const entra = await directoryNamed(`${name}-entra`);
  const { token } = await post("/scim-settings/generate-new-token");
  const id = await groupOf(token, `${name}-crew`, [await userOf(token, `${name}@example.com`)]);
  const seen = await visitor({ as: admin, size: narrow });
  const { page, open } = seen;
  await open(`/people/groups?group=${id}`);
  const drawer = page.getByRole("dialog", { name: "Group", exact: true });
  const section = drawer.getByRole("region", { name: "Directory" });
  await section.getByText("Managed by the default directory.").waitFor();
  await drawer.getByText("While SCIM is on, its name and members are changed there.").waitFor();
  await section.getByRole("button", { name: "Link …" }).waitFor();
  await choose(page, section.getByRole("combobox", { name: "Link to" }), `${name}-entra`);
  await section.getByRole("button", { name: "Hand over …" }).click();
  const asking = page.getByRole("dialog", { name: `Hand ${name}-crew over to ${name}-entra` });
  await asking.getByText("the default directory neither sees nor changes the group any more").waitFor();
  await assertAccessible(page, "a group that is handed over");
  await asking.getByRole("button", { name: "Hand it over" }).click();
  await section.getByText(`Managed by ${name}-entra.`).waitFor();
  const group = await ask(`${api}/groups/${id}`);
  assert.deepEqual([group.scimDirectory, group.userCount], [entra.id, 1]);
  assert.equal((await scim(token, `/Groups/${id}`)).status, 404, "the default directory does not see it any more");
  await assertWithin(drawer);
  await assertAtPeace(seen);
});

test("nothing is chosen where there is the default directory alone, and nothing is linked while SCIM is off", async () => {
  for (const { directory } of await directories()) {
    await ask(`${directoriesAt}/${directory.id}`, { method: "DELETE" });
  }
  const { id } = await userNamed(name);
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/people/users?user=${id}`);
  const section = page.getByRole("region", { name: "Directory" });
  await section.getByRole("button", { name: "Link …" }).click();
  await page.getByRole("dialog", { name: `Link ${name} to the default directory` }).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await section.getByRole("combobox").count(), 0);

  await post("/scim-settings", { enabled: false });
  const answered = page.waitForResponse(`${server}/api/admin/scim-settings`);
  await open(`/people/users?user=${id}`);
  await answered;
  await page.getByRole("region", { name: "Delete" }).waitFor();
  assert.equal(await section.count(), 0);
  await assertAtPeace(seen);
});

// What administrators do about people, from the first click to what the server then says.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { beforeEach, test } from "node:test";
import { api, choose, freshName, post, put, typeAndDelete, userNamed } from "./administration.mjs";
import { admin, ask, assertAtPeace, eventually, server, signIn, takeBack, uncovered, visitor } from "./chromium.mjs";

let name;

beforeEach(() => {
  name = freshName();
});

test("makes a token whose secret is shown once and kept nowhere, and deletes it", async () => {
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/tokens");
  await page.keyboard.press("n");
  const form = page.getByRole("dialog", { name: "New token" });
  await form.getByLabel("Name").fill(name);
  await choose(page, form.getByRole("combobox", { name: "Environment" }), "development");
  await form.getByRole("button", { name: `Create ${name}` }).click();
  const shown = page.getByRole("dialog", { name: `The token ${name} was created` });
  const secret = (await shown.getByRole("region", { name: "The secret" }).innerText()).trim();
  const features = () => fetch(`${server}/api/client/features`, { headers: { authorization: secret } });
  assert.equal((await features()).status, 200);
  await page.keyboard.press("Escape");
  await shown.getByRole("button", { name: "I have kept it" }).click();
  await uncovered(page);
  await page.keyboard.press("Shift+R");
  await page.getByRole("dialog", { name: "Requests of this tab" }).getByText("POST /api/admin/api-tokens").waitFor();
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href);
  assert.ok(!(kept + (await page.content())).includes(secret), "the secret is still somewhere");
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: `Expiry … of ${name}` }).click();
  await choose(page, page.getByRole("combobox", { name: "Expires" }), "in 7 days");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const token = async () => (await ask(`${api}/api-tokens`)).tokens.find(({ tokenName }) => tokenName === name);
  await takeBack(page, token, ({ expiresAt }) => expiresAt !== null);
  await eventually(token, ({ expiresAt }) => expiresAt === null);

  await page.getByRole("button", { name: `Delete … ${name}` }).click();
  await typeAndDelete(page, name);
  await eventually(token, (found) => found === undefined);
  await eventually(features, ({ status }) => status === 401);
  await assertAtPeace(seen);
});

test("invites a user, who gets a link that is shown once", async () => {
  const { page, open } = await visitor({ as: admin });
  await open("/people/users?new=true");
  const form = page.getByRole("dialog", { name: "New user" });
  await form.getByLabel("Email").fill(`${name}@example.com`);
  await choose(page, form.getByRole("combobox", { name: "Role in the whole instance" }), "Editor");
  await form.getByRole("button", { name: "Create the user" }).click();
  const shown = page.getByRole("dialog", { name: /can come in/ });
  assert.match(await shown.getByRole("region", { name: "The secret" }).innerText(), /^http:\/\/127\.0\.0\.1:\d+\/.+/);
  await shown.getByRole("button", { name: "I have kept it" }).click();
  const { users } = await ask(`${api}/user-admin`);
  assert.equal(users.find(({ email }) => email === `${name}@example.com`).rootRole, 2);
});

test("two administrators edit one user: what only one changed is kept", async () => {
  const { id } = await userNamed(name, { name: "before", email: `${name}@example.com` });
  const { page, open } = await visitor({ as: admin });
  await open(`/people/users?user=${id}`);
  const drawer = page.getByRole("dialog", { name: "User" });
  await drawer.getByLabel("Name", { exact: true }).fill("mine");
  await choose(page, drawer.getByRole("combobox", { name: "Role in the whole instance" }), "Editor");
  await put(`/user-admin/${id}`, { name: "theirs" });
  await drawer.getByRole("button", { name: "Save", exact: true }).click();
  const conflict = page.getByRole("dialog", { name: "Somebody changed it while you were editing" });
  await conflict.getByRole("row", { name: /name.*before.*theirs.*mine/ }).waitFor();
  await conflict.getByText(/The last change is by/).waitFor();
  await conflict.getByText("Theirs", { exact: true }).last().click();
  await conflict.getByRole("button", { name: "Put mine on top" }).click();
  await eventually(
    () => ask(`${api}/user-admin/${id}`),
    (user) => user.name === "theirs" && user.rootRole === 2,
  );
});

test("a password is set by a link or by the rules, and a user is deleted by name", async () => {
  const { id } = await userNamed(name);
  const { page, open } = await visitor({ as: admin });
  await open(`/people/users?user=${id}`);
  await page.getByRole("button", { name: "Create a link" }).click();
  const shown = page.getByRole("dialog", { name: "A link to set a password" });
  await shown.getByText("It is shown this once").waitFor();
  await shown.getByRole("button", { name: "I have kept it" }).click();
  await page.getByText("Or set a password yourself").click();
  const set = page.getByRole("button", { name: "Set the password" });
  await page.getByLabel("New password").fill("short");
  assert.equal(await set.getAttribute("aria-disabled"), "true");
  await page.getByLabel("New password").fill("Another-Pass-2");
  await set.click();
  await page.getByText("has another password now").waitFor();
  await signIn((await visitor()).context, { username: name, password: "Another-Pass-2" });
  await page.getByRole("button", { name: "Delete …", exact: true }).click();
  await typeAndDelete(page, name);
  await eventually(
    () => ask(`${api}/user-admin`),
    ({ users }) => !users.some((user) => user.id === id),
  );
});

test("a user is deactivated, who is signed out and shown so, and comes back", async () => {
  const password = "Tests-Person-1";
  const { id } = await userNamed(name);
  const theirs = await visitor();
  await signIn(theirs.context, { username: name, password });
  const { page, open } = await visitor({ as: admin });
  await open(`/people/users?user=${id}`);
  const drawer = page.getByRole("dialog", { name: "User" });
  const mayComeIn = drawer.getByRole("switch", { name: "Can sign in" });
  assert.ok(await mayComeIn.isChecked());
  await mayComeIn.click();
  await drawer.getByRole("button", { name: "Save", exact: true }).click();
  await eventually(
    () => ask(`${api}/user-admin/${id}`),
    ({ active }) => active === false,
  );
  assert.equal((await theirs.context.request.get(`${server}${api}/user`)).status(), 401);
  await open(`/people/users?query=${name}`);
  await page.getByRole("row", { name: /deactivated/ }).waitFor();
  await put(`/user-admin/${id}`, { active: true });
  await page.reload();
  await page.getByRole("row", { name }).waitFor();
  assert.equal(await page.getByText("deactivated").count(), 0);
});

test("a role for one environment, given through a group: its holder is told what is missing elsewhere", async () => {
  const holder = { username: name, password: "Tests-Person-1" };
  const { id } = await userNamed(name);
  const feature = `${name}-feature`;
  await post("/projects/webshop/features", { name: feature });
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/people/roles?new=true");
  const form = page.getByRole("dialog", { name: "New role" });
  await form.getByLabel("Name").fill(`role ${name}`);
  await form.getByRole("checkbox", { name: "Switch feature flags on and off in development" }).check();
  await form.getByRole("button", { name: `Create role ${name}` }).click();
  const role = async () => (await ask(`${api}/roles`)).roles.find((one) => one.name === `role ${name}`);
  await eventually(role, (found) => found !== undefined);
  const made = await role();
  const { permissions } = await ask(`${api}/roles/${made.id}`);
  assert.deepEqual(
    permissions.map((one) => [one.name, one.environment]),
    [["UPDATE_FEATURE_ENVIRONMENT", "development"]],
  );

  await open("/people/groups?new=true");
  const group = page.getByRole("dialog", { name: "New group" });
  await group.getByLabel("Name").fill(`group ${name}`);
  await choose(page, group.getByRole("combobox", { name: /^Members/ }), name);
  await page.keyboard.press("Escape");
  await group.getByRole("button", { name: `Create group ${name}` }).click();
  const found = async () => (await ask(`${api}/groups`)).groups.find((one) => one.name === `group ${name}`);
  await eventually(found, (one) => one?.userCount === 1);
  const { id: groupId } = await found();
  await post("/projects/webshop/access", { roles: [made.id], groups: [groupId], users: [] });

  await open(`/people/access?user=${id}&in=webshop&environment=development`);
  const drawer = page.getByRole("dialog", { name: `What ${name} may do` });
  await drawer
    .getByRole("row", { name: `Switch feature flags on and off` })
    .getByText(`role ${name} through group ${name}`)
    .waitFor();
  await open(`/people/access?query=${name}&project=webshop`);
  await page.getByRole("cell", { name: `role ${name} through group ${name}` }).waitFor();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save as CSV" }).click(),
  ]);
  const csv = await readFile(await file.path(), "utf8");
  assert.ok(csv.includes(`${name},,webshop,role ${name},group ${name}\r\n`), csv);
  await assertAtPeace(seen);

  const other = await visitor({ as: holder });
  await other.open(`/projects/webshop/features/${feature}`);
  const inProduction = other.page.getByRole("switch", { name: `${feature} in production` });
  assert.equal(await inProduction.getAttribute("aria-disabled"), "true");
  assert.equal(
    await other.page.getByRole("switch", { name: `${feature} in development` }).getAttribute("aria-disabled"),
    null,
  );
  assert.equal(await other.page.getByRole("link", { name: "People" }).count(), 0);
  await other.page.goto(`${server}/console/people/users`);
  const alert = other.page.getByRole("alert");
  await alert.getByText("Needs “Administrator”").waitFor();
  await alert.getByText(/Administrators: .*admin/).waitFor();
});

test("switches an invite off, and on again by Undo", async () => {
  const { page, open } = await visitor({ as: admin });
  await open("/people/invites?new=true");
  const form = page.getByRole("dialog", { name: "New invite" });
  await form.getByLabel("Name").fill(name);
  await form.getByRole("button", { name: "Create the invite" }).click();
  await page.getByRole("button", { name: "I have kept it" }).click();
  const link = async () => (await ask(`${api}/invite-link/tokens`)).tokens.find((one) => one.name === name);
  await page.getByRole("switch", { name: `${name} lets people in` }).click();
  await takeBack(page, link, ({ enabled }) => !enabled);
  await eventually(link, ({ enabled }) => enabled);
});

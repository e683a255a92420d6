// Programs get accounts, and everybody is told something: from the first click to what the server then says.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { beforeEach, test } from "node:test";
import { api, choose, freshName, post, typeAndDelete, userNamed } from "./administration.mjs";
import { admin, ask, assertAtPeace, eventually, server, visitor } from "./chromium.mjs";

let name;

beforeEach(() => {
  name = freshName();
});

const accountCalled = async (username) =>
  (await ask(`${api}/service-account`)).serviceAccounts.find((one) => one.username === username);

test("a service account is created, gets a token that works and is shown once, a role, and is deleted", async () => {
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/people/programs");
  await page.keyboard.press("n");
  const form = page.getByRole("dialog", { name: "New service account" });
  await form.getByLabel("Name", { exact: false }).first().fill(`The ${name}`);
  await form.getByLabel("User name").fill(name);
  await form.getByRole("button", { name: "Create the service account" }).click();
  const drawer = page.getByRole("dialog", { name: "Service account", exact: true });
  await drawer.getByText("nothing can come in as it").waitFor();

  await drawer.getByRole("button", { name: "New token" }).click();
  const making = page.getByRole("dialog", { name: "New token of the service account" });
  await making.getByLabel("What it is for").fill("pipeline");
  await making.getByRole("button", { name: "Create the token" }).click();
  const shown = page.getByRole("dialog", { name: `A token of The ${name}` });
  const secret = (await shown.getByRole("region", { name: "The secret" }).innerText()).trim();
  await shown.getByRole("button", { name: "I have kept it" }).click();
  const me = () => fetch(`${server}${api}/user`, { headers: { authorization: secret } });
  assert.equal((await (await me()).json()).user.accountType, "Service Account");
  await drawer.getByText("pipeline").first().waitFor();
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href);
  assert.ok(!(kept + (await page.content())).includes(secret), "the secret is still somewhere");

  await choose(page, drawer.getByRole("combobox", { name: "Role in the whole instance" }), "Editor");
  await drawer.getByRole("button", { name: "Save", exact: true }).click();
  await eventually(
    () => accountCalled(name),
    ({ rootRole }) => rootRole === 2,
  );
  await drawer.getByRole("button", { name: "Delete …", exact: true }).click();
  await typeAndDelete(page, `The ${name}`);
  await eventually(
    () => accountCalled(name),
    (found) => found === undefined,
  );
  await eventually(me, ({ status }) => status === 401);
  await assertAtPeace(seen);
});

test("a banner is shown to everybody, opens its text, is hidden and deleted", async () => {
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/settings/banners?new=true");
  const form = page.getByRole("dialog", { name: "New banner" });
  await form.getByLabel("Message").fill(`Maintenance ${name}`);
  await choose(page, form.getByRole("combobox", { name: "Type" }), "Warning");
  await choose(page, form.getByRole("combobox", { name: "Link" }), "To more text");
  const make = form.getByRole("button", { name: "Show it to everybody" });
  assert.equal(await make.getAttribute("aria-disabled"), "true", "the text is missing");
  await form.getByLabel("Text of the link").fill("What that means");
  await form.getByLabel("Text", { exact: true }).fill("Nobody can change anything at noon.");
  await make.click();
  const band = page.getByRole("status").filter({ hasText: `Maintenance ${name}` });
  await band.waitFor();

  const viewer = { username: name, password: "Tests-Person-1" };
  await userNamed(name);
  const other = await visitor({ as: viewer });
  await other.open("/projects");
  const told = other.page.getByRole("status").filter({ hasText: `Maintenance ${name}` });
  await told.getByRole("button", { name: "What that means" }).click();
  await other.page.getByRole("dialog").getByText("Nobody can change anything at noon.").waitFor();

  await page.getByRole("button", { name: `Hide Maintenance ${name}` }).click();
  await band.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: `Delete … Maintenance ${name}` }).click();
  await typeAndDelete(page, `Maintenance ${name}`);
  await eventually(
    () => ask(`${api}/banners`),
    ({ banners }) => !banners.some(({ message }) => message.includes(name)),
  );
  await assertAtPeace(seen);
});

test("the newest attempts to sign in are saved as a table", async () => {
  // What is typed is told where it is somebody's name.
  await post("/user-admin", { username: `=${name}`, rootRole: 3 });
  const guess = { username: `=${name}`, password: "Wrong-pass-1" };
  const headers = { "content-type": "application/json" };
  await fetch(`${server}/auth/simple/login`, { method: "POST", headers, body: JSON.stringify(guess) });
  const { page, open } = await visitor({ as: admin });
  await open("/settings/sign-in/log");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save the newest 1000 as CSV" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "sign-ins.csv");
  const text = await readFile(await download.path(), "utf8");
  assert.match(text, new RegExp(`,'=${name},simple,refused,`));
  assert.ok(!text.includes("Wrong-pass-1"));
});

// Many people are invited at once, by a pasted list.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { beforeEach, test } from "node:test";
import { api, choose, freshName, post } from "./administration.mjs";
import { admin, ask, assertAccessible, assertAtPeace, visitor } from "./chromium.mjs";

let name;

beforeEach(() => {
  name = freshName();
});

const called = async (part) =>
  (await ask(`${api}/user-admin`)).users.filter(({ email }) => email?.includes(part)).sort((a, b) => a.id - b.id);

test("a list of addresses becomes users: one outcome each, also of one who is there already, and a file", async () => {
  await post("/user-admin", { email: `there-${name}@example.com`, rootRole: 3, sendEmail: false });
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/people/users");
  await page.getByRole("button", { name: "Invite many" }).click();
  const drawer = page.getByRole("dialog", { name: "Invite many" });
  const list = `one-${name}@example.com, Two Tester <two-${name}@example.com>\nthere-${name}@example.com\nno address\n`;
  await drawer.getByLabel("Addresses").fill(`${list}ONE-${name}@example.com`);
  await drawer.getByText("No address, and left out: no address").waitFor();
  await choose(page, drawer.getByRole("combobox", { name: "Role in the whole instance" }), "Editor");
  await drawer.getByRole("button", { name: "Invite 3" }).click();
  await drawer.getByText("3 of 3 done.").waitFor();
  const outcomes = drawer.getByRole("list", { name: "Outcomes" }).getByRole("listitem");
  assert.match(await outcomes.nth(0).innerText(), new RegExp(`one-${name}@example.com\\s+✓ invited`));
  assert.match(await outcomes.nth(2).innerText(), /✗ refused/);
  await assertAccessible(page, "the outcomes of invitations");
  const saved = page.waitForEvent("download");
  await drawer.getByRole("button", { name: "Save as CSV" }).click();
  const file = await readFile(await (await saved).path(), "utf8");
  assert.match(file, new RegExp(`^two-${name}@example.com,invited,http.*token=`, "m"));
  const users = await called(name);
  assert.deepEqual(
    users.map(({ email, name: shown, rootRole }) => [email.split("-")[0], shown ?? "", rootRole]),
    [
      ["there", "", 3],
      ["one", "", 2],
      ["two", "Two Tester", 2],
    ],
  );
  await assertAtPeace(seen);
});

test("more people than the server takes at once are all invited: it waits as long as the server asks", async () => {
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  let refusals = 0;
  await page.route("**/api/admin/user-admin", async (route) => {
    if (route.request().method() !== "POST" || refusals >= 2) return route.continue();
    refusals += 1;
    const body = JSON.stringify({ id: "1", name: "TooManyRequests", message: "Too many." });
    return route.fulfill({ status: 429, headers: { "retry-after": "2", "content-type": "application/json" }, body });
  });
  await open("/people/users?many=true");
  const drawer = page.getByRole("dialog", { name: "Invite many" });
  const list = Array.from({ length: 14 }, (_, at) => `p${at}-${name}@example.com`).join("\n");
  await drawer.getByLabel("Addresses").fill(list);
  await drawer.getByRole("button", { name: "Invite 14" }).click();
  await drawer.getByText(/The server takes the next one in \d s\./).waitFor();
  await drawer.getByText("14 of 14 done.").waitFor();
  assert.equal(refusals, 2);
  assert.equal((await called(name)).length, 14);
  assert.equal(await drawer.getByText("✗ refused").count(), 0);
});

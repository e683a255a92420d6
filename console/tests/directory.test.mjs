// An instance leaves its directory: what came from there is deleted at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, freshName, post, userNamed } from "./administration.mjs";
import { admin, ask, assertAccessible, assertAtPeace, server, visitor } from "./chromium.mjs";

test("all users of the directory are deleted after their number and a typed word, those made here stay", async () => {
  const name = freshName();
  const email = `${name}@example.com`;
  await userNamed(`${name}-here`);
  await post("/scim-settings", { enabled: true });
  const { token } = await post("/scim-settings/generate-new-token");
  const created = await fetch(`${server}/scim/Users`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
    body: JSON.stringify({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      userName: email,
      active: true,
      emails: [{ value: email, primary: true }],
    }),
  });
  assert.equal(created.status, 201, await created.text());
  const kept = async () => (await ask(`${api}/user-admin`)).users.filter(({ scimId }) => scimId).length;
  const count = await kept();
  const users = count === 1 ? "1 user" : `${count} users`;
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/settings/sign-in/scim");
  const remove = page.getByRole("button", { name: "Delete all SCIM users …" });
  assert.equal(await remove.getAttribute("aria-disabled"), "true", "the directory would create them again");
  await post("/scim-settings", { enabled: false });
  await open("/settings/sign-in/scim");
  await assertAccessible(page, "the page of SCIM");
  await remove.click();
  const asking = page.getByRole("dialog", { name: "Delete all SCIM users" });
  const sure = asking.getByRole("button", { name: `Delete ${users}` });
  await asking.getByText(`Of the directory, ${users} will be deleted.`).waitFor();
  assert.equal(await sure.isDisabled(), true);
  await asking.getByLabel(/^Type delete to go on/).fill("delete");
  await sure.click();
  await page.getByText(`Deleted ${users} of the directory.`).waitFor();
  assert.equal(await kept(), 0);
  const left = await ask(`${api}/user-admin`);
  assert.ok(left.users.some(({ username }) => username === `${name}-here`));
  await assertAtPeace(seen);
});

// How this server authenticates at an OpenID Connect provider, and the way from one key to the next, by the keyboard alone.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api, put } from "./administration.mjs";
import {
  admin,
  ask,
  assertAccessible,
  assertAtPeace,
  eventually,
  reach,
  server,
  uncovered,
  visitor,
} from "./chromium.mjs";

const keysAt = `${api}/auth/oidc/client-keys`;
const policyNow = () => ask(`${api}/auth/policy`);
const before = await policyNow();

after(async () => {
  await put("/auth/policy", before);
  for (const { kid } of (await ask(keysAt)).keys) await ask(`${keysAt}/${kid}`, { method: "DELETE" });
});

/** Chooses an option of a field by its place in the list. */
async function choose(page, field, option) {
  await reach(page, page.getByRole("combobox", { name: field }));
  await page.keyboard.press("Enter");
  const wanted = page.getByRole("option", { name: option, exact: true });
  await wanted.waitFor();
  for (let step = 0; step < 20; step += 1) {
    if ((await wanted.getAttribute("data-combobox-selected")) === "true") break;
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
}

async function press(page, button) {
  await reach(page, button);
  await page.keyboard.press("Enter");
}

test("changes from the client secret to a key, and from that key to the next", async () => {
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/settings/sign-in/oidc");
  const form = page.getByRole("region", { name: "Tokens and client authentication" });
  const section = page.getByRole("region", { name: "Keys of this server" });
  const rows = section.getByRole("list", { name: "Keys" }).getByRole("listitem");
  const save = form.getByRole("button", { name: "Save", exact: true });

  await choose(page, "Signing algorithm of tokens", "ES384");
  await choose(page, "Client authentication", "Signed JWT (private_key_jwt)");
  await form.getByText("Nothing secret leaves this server").waitFor();
  await choose(page, /^Recipient in the JWT/, "The URL of the token endpoint");
  assert.equal(await save.getAttribute("aria-disabled"), "true", "there is no key that could sign");

  const { jwksUri } = await ask(keysAt);
  await section.getByText(jwksUri, { exact: true }).waitFor();
  await reach(page, section.getByRole("button", { name: "Copy the address of the keys" }));
  await press(page, section.getByText("How to change the key"));
  await section.getByText("Wait until the provider has read the keys anew").waitFor();
  await press(page, section.getByRole("button", { name: "Create a key" }));
  await rows.filter({ hasText: "published" }).waitFor();
  const [first] = (await ask(keysAt)).keys;
  await rows.getByText(first.kid).waitFor();

  await press(page, section.getByRole("button", { name: /^Sign with it …/ }));
  const asking = page.getByRole("dialog", { name: `Sign with the key ${first.kid.slice(0, 10)}` });
  await asking.getByText("signs once the client authentication is a signed JWT").waitFor();
  await press(page, asking.getByRole("button", { name: "Sign with it" }));
  await eventually(policyNow, ({ oidcClientKey }) => oidcClientKey === first.kid);
  await uncovered(page);
  await rows.filter({ hasText: /current$|current[^,]/ }).waitFor();

  await eventually(
    () => save.getAttribute("aria-disabled"),
    (disabled) => disabled === null,
  );
  await press(page, save);
  await rows.filter({ hasText: "current, signs" }).waitFor();
  assert.deepEqual(await policyNow(), {
    ...before,
    oidcSigningAlgorithm: "ES384",
    oidcClientAuthentication: "private_key_jwt",
    oidcAssertionAudience: "token_endpoint",
    oidcClientKey: first.kid,
  });
  const remove = (row) => row.getByRole("button", { name: /^Delete …/ });
  assert.equal(await remove(rows.first()).getAttribute("aria-disabled"), "true", "it signs");

  await press(page, section.getByRole("button", { name: "Create a key" }));
  await eventually(
    () => rows.count(),
    (count) => count === 2,
  );
  const second = (await ask(keysAt)).keys[1];
  const create = section.getByRole("button", { name: "Create a key" });
  assert.equal(await create.getAttribute("aria-disabled"), "true", "there are two already");
  assert.equal((await policyNow()).oidcClientKey, first.kid, "a new key does not sign by itself");
  await assertAccessible(page, "two keys");
  const newRow = rows.filter({ hasText: second.kid });
  await press(page, newRow.getByRole("button", { name: /^Sign with it …/ }));
  const change = page.getByRole("dialog", { name: `Sign with the key ${second.kid.slice(0, 10)}` });
  await change.getByText("A provider that has not read this key yet refuses this server").waitFor();
  await press(page, change.getByRole("button", { name: "Sign with it" }));
  await newRow.filter({ hasText: "current, signs" }).waitFor();
  await uncovered(page);

  const name = first.kid.slice(0, 10);
  await press(page, remove(rows.filter({ hasText: first.kid })));
  const deleting = page.getByRole("dialog", { name: `Delete the key ${name}` });
  await reach(page, deleting.getByLabel(/^Type /));
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await eventually(
    () => rows.count(),
    (count) => count === 1,
  );
  const published = await (await fetch(`${server}/auth/oidc/jwks`)).json();
  assert.deepEqual(
    published.keys.map(({ kid }) => kid),
    [second.kid],
  );
  assert.deepEqual((await policyNow()).oidcClientKey, second.kid);
  await assertAtPeace(seen);
});

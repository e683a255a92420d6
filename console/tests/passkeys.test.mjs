// Passkeys: registered, used without the password and beside it, renamed and removed, with Chromium's virtual authenticator
// and by the keyboard alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ownServer } from "./own-server.mjs";

await ownServer({ name: "localhost" });
const { assertAccessible, assertAtPeace, narrow, reach, server, visitor } = await import("./chromium.mjs");
const { freshName, put, userNamed } = await import("./administration.mjs");
const { afterPassword, isIn, keepCodes, password, press, typePassword, write } = await import("./second-factor.mjs");

/** Gives a page a device that keeps passkeys and knows its user, until that is told otherwise. */
async function device({ context, page }) {
  const cdp = await context.newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    verifies: (isUserVerified) => cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
    passkeys: async () => (await cdp.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
  };
}

const section = (page) => page.getByRole("region", { name: "Passkeys" });
const byPasskey = (page) => page.getByRole("button", { name: "Sign in with a passkey" });
const beside = (where) => where.getByRole("button", { name: "Use a passkey" });

/** Fills in the form of a new passkey, which the device makes. */
async function register(page, form, name) {
  await write(page, form.getByLabel(/^Name of the passkey/), name);
  await write(page, form.getByLabel(/^Current password/), password);
  await page.keyboard.press("Enter");
}

async function signOut({ context, page }) {
  await context.clearCookies();
  await page.goto(`${server}/console/sign-in`);
  await byPasskey(page).waitFor();
}

test("somebody registers a passkey, signs in with it alone and beside the password, renames it and removes it", async () => {
  const name = freshName();
  await userNamed(name);
  const seen = await visitor({ as: { username: name, password }, size: narrow });
  const { page, open } = seen;
  const phone = await device(seen);
  await open("/me/security");
  await section(page).getByText("You have none.").waitFor();
  await press(page, page.getByRole("button", { name: "Register a passkey …" }));
  const drawer = page.getByRole("dialog", { name: "Register a passkey" });
  await register(page, drawer, "My phone");
  const codes = await keepCodes(page);
  const made = await phone.passkeys();
  assert.deepEqual(
    made.map(({ rpId, isResidentCredential }) => [rpId, isResidentCredential]),
    [["localhost", true]],
  );
  await section(page).getByText("My phone").waitFor();
  await section(page).getByText("last used never").waitFor();
  await page.getByText("10 of 10").waitFor();
  await assertAccessible(page, "passkeys");

  // The device has one already.
  await press(page, page.getByRole("button", { name: "Register a passkey …" }));
  await write(page, drawer.getByLabel(/^Name of the passkey/), "Again");
  await write(page, drawer.getByLabel(/^Current password/), password);
  await press(page, beside(drawer));
  await drawer.getByText("This device has a passkey of yours already.").waitFor();
  assert.equal((await phone.passkeys()).length, 1);
  await assertAtPeace(seen);

  await signOut(seen);
  await assertAccessible(page, "the page to sign in, with passkeys");
  await phone.verifies(false);
  await press(page, byPasskey(page));
  await page.getByText("No passkey was used").waitFor();
  await phone.verifies(true);
  await press(page, byPasskey(page));
  await isIn(page);
  const sessions = await page.context().request.get(`${server}/api/admin/user/sessions`);
  assert.equal((await sessions.json()).sessions.find(({ current }) => current).method, "passkey");

  await signOut(seen);
  await typePassword(page, name);
  await page.getByText("Your account has a second factor").waitFor();
  await assertAccessible(page, "the second step, with passkeys");
  await press(page, beside(page));
  await isIn(page);

  // Nothing of what a passkey said is kept.
  await page.keyboard.press("Shift+R");
  await page.getByText("POST /auth/simple/login").first().waitFor();
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  const shown = kept + (await page.content());
  assert.ok(!shown.includes("authenticatorData") && codes.every((code) => !shown.includes(code)));
  await page.keyboard.press("Escape");

  await open("/me/security");
  await press(page, page.getByRole("button", { name: "Rename My phone" }));
  const renaming = page.getByRole("dialog", { name: "Rename a passkey" });
  await reach(page, renaming.getByLabel(/^Name of the passkey/));
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("Old phone");
  await page.keyboard.press("Enter");
  await section(page).getByText("Old phone").waitFor();

  await press(page, page.getByRole("button", { name: "Remove Old phone" }));
  const removal = page.getByRole("dialog", { name: "Remove a passkey" });
  await removal.getByText("the recovery codes go with it").waitFor();
  await write(page, removal.getByLabel(/^Current password/), password);
  await press(page, beside(removal));
  await section(page).getByText("You have none.").waitFor();
  await assertAtPeace(seen);

  await signOut(seen);
  await press(page, byPasskey(page));
  await page.getByText("The passkey was not accepted").first().waitFor();
  const { page: last } = await afterPassword(name);
  await isIn(last);
});

test("who must have a second factor registers a passkey instead of an app", async (t) => {
  const name = freshName();
  await userNamed(name);
  t.after(() => put("/auth/second-factor", { requiredOf: "nobody" }));
  await put("/auth/second-factor", { requiredOf: "everybody" });
  const seen = await afterPassword(name);
  const { page } = seen;
  await device(seen);
  await page.getByText("A second factor is required of you").waitFor();
  await press(page, page.getByRole("button", { name: "Register a passkey instead" }));
  await register(page, page, "Key");
  await keepCodes(page);
  await isIn(page);
  await signOut(seen);
  await press(page, byPasskey(page));
  await isIn(page);
});

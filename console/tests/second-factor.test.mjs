// A second factor beside the password: set up, asked for, used up, renewed, removed and required, by the keyboard alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ownServer } from "./own-server.mjs";
import { authenticator } from "./totp.mjs";

await ownServer();
const {
  admin,
  ask,
  assertAccessible,
  assertAtPeace,
  eventually,
  forgetSession,
  narrow,
  reach,
  server,
  settled,
  visitor,
} = await import("./chromium.mjs");
const { api, freshName, put, userNamed } = await import("./administration.mjs");
const { afterPassword, isIn, keepCodes, password, press, write } = await import("./second-factor.mjs");

const appCode = (page) => page.getByLabel(/^Code of your authenticator app/);

/** Begins an enrolment in the form of the page; the app has its secret then. */
async function scan(page) {
  await write(page, page.getByLabel(/^Current password/), password);
  await page.keyboard.press("Enter");
  const picture = page.getByRole("img", { name: "QR code of the secret" });
  await picture.waitFor();
  assert.ok(await picture.evaluate((image) => image.naturalWidth > 0), "the picture is shown");
  const secret = await page.getByRole("region", { name: "The secret for the app" }).innerText();
  return authenticator(secret.replaceAll(" ", ""));
}

test("somebody sets up an app, signs in by its code and by a recovery code, renews the codes and removes it all", async () => {
  const name = freshName();
  await userNamed(name);
  const seen = await visitor({ as: { username: name, password } });
  const { page, open } = seen;
  await open("/me/security");
  await page.getByText("There are no passkeys here: the public URL").waitFor();
  await write(page, page.getByLabel(/^Current password/), "not-mine");
  await page.keyboard.press("Enter");
  await page.getByText("This is not your password.").waitFor();
  await page.keyboard.press("ControlOrMeta+A");
  const app = await scan(page);
  await assertAccessible(page, "the secret of an app");
  await page.waitForFunction(() => document.activeElement?.autocomplete === "one-time-code");
  await page.keyboard.type("000000");
  await page.keyboard.press("Enter");
  await page.getByText("The code is wrong, too old, or was used before").waitFor();
  assert.equal(await appCode(page).getAttribute("aria-invalid"), "true");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(app());
  await page.keyboard.press("Enter");
  const codes = await keepCodes(page);
  await page.getByText("10 of 10").waitFor();
  // Neither the secret nor a code is kept anywhere.
  await page.keyboard.press("Shift+R");
  await page.getByText("POST /api/admin/user/second-factor/totp/confirm").first().waitFor();
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  const shown = kept + (await page.content());
  for (const code of codes) assert.ok(!shown.includes(code), "a recovery code is still somewhere");
  await assertAtPeace(seen);

  const other = await afterPassword(name, narrow);
  const field = appCode(other.page);
  await field.waitFor();
  await assertAccessible(other.page, "the second step of signing in");
  assert.deepEqual(
    await field.evaluate(({ autocomplete, inputMode }) => [
      autocomplete,
      inputMode,
      document.activeElement?.autocomplete,
    ]),
    ["one-time-code", "numeric", "one-time-code"],
  );
  await other.page.keyboard.type("000000");
  await other.page.keyboard.press("Enter");
  await other.page.getByText("The code is wrong, too old, or was used before").waitFor();
  await other.page.keyboard.press("ControlOrMeta+A");
  await other.page.keyboard.type(app());
  await other.page.keyboard.press("Enter");
  await isIn(other.page);

  const third = await afterPassword(name);
  await press(third.page, third.page.getByRole("button", { name: "Use a recovery code instead" }));
  await write(third.page, third.page.getByLabel(/^Recovery code/), codes[0].toUpperCase());
  await third.page.keyboard.press("Enter");
  await isIn(third.page);
  await third.page.goto(`${server}/console/me/security`);
  await third.page.getByText("9 of 10").waitFor();

  await press(third.page, third.page.getByRole("button", { name: "New recovery codes …" }));
  const renewal = third.page.getByRole("dialog", { name: "New recovery codes" });
  await press(third.page, renewal.getByRole("button", { name: "Use a recovery code instead" }));
  await write(third.page, renewal.getByLabel(/^Recovery code/), codes[1]);
  await third.page.keyboard.press("Enter");
  const renewed = await keepCodes(third.page);
  assert.ok(!renewed.some((code) => codes.includes(code)));
  await third.page.getByText("10 of 10").waitFor();

  await press(third.page, third.page.getByRole("button", { name: "Remove …" }));
  const removal = third.page.getByRole("dialog", { name: "Remove your second factor" });
  await removal.getByText("Afterwards your password alone lets you in").waitFor();
  await write(third.page, removal.getByLabel(/^Current password/), password);
  await press(third.page, removal.getByRole("button", { name: "Use a recovery code instead" }));
  await write(third.page, removal.getByLabel(/^Recovery code/), codes[2]);
  await third.page.keyboard.press("Enter");
  await removal.getByText("The code is wrong, too old, or was used before").waitFor();
  await third.page.keyboard.press("ControlOrMeta+A");
  await third.page.keyboard.type(renewed[0]);
  await third.page.keyboard.press("Enter");
  await third.page.getByLabel(/^Current password/).waitFor();
  const { page: last } = await afterPassword(name);
  await isIn(last);
});

test("an administrator sees who has a second factor, and removes it", async () => {
  const name = freshName();
  const { id } = await userNamed(name, { name });
  const { page: theirs, open: openTheirs } = await visitor({ as: { username: name, password } });
  await openTheirs("/me/security");
  const app = await scan(theirs);
  await write(theirs, appCode(theirs), app());
  await theirs.keyboard.press("Enter");
  await keepCodes(theirs);
  forgetSession({ username: name });

  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/people/users?user=${id}`);
  const section = page.getByRole("region", { name: "Second factor" });
  await section.getByText("They have one").waitFor();
  await press(page, section.getByRole("button", { name: "Remove …" }));
  const asking = page.getByRole("dialog", { name: `Remove the second factor of ${name}` });
  await asking.getByText("every session of theirs ends").waitFor();
  await press(page, asking.getByRole("button", { name: "Remove it" }));
  await section.getByText("They have none").waitFor();
  await assertAtPeace(seen);
  assert.equal((await theirs.context().request.get(`${server}/api/admin/user`)).status(), 401);
  const { page: again } = await afterPassword(name);
  await isIn(again);
});

test("who must have a second factor sets it up before anything else, and may sign out instead", async (t) => {
  const name = freshName();
  await userNamed(name);
  t.after(() => put("/auth/second-factor", { requiredOf: "nobody" }));
  const { page: settings, open: openSettings } = await visitor({ as: admin });
  await openSettings("/settings/sign-in/password");
  const form = settings.getByRole("region", { name: "Second factor" });
  await reach(settings, form.getByRole("radio", { name: "Nobody" }));
  await settings.keyboard.press("ArrowUp");
  assert.equal(await form.getByRole("radio", { name: "Everybody" }).isChecked(), true);
  await press(settings, form.getByRole("button", { name: "Save …" }));
  const asking = settings.getByRole("dialog", { name: "Require a second factor" });
  await asking.getByText("you among them").waitFor();
  await press(settings, asking.getByRole("button", { name: "Require it" }));
  await eventually(
    () => ask(`${api}/auth/second-factor`),
    ({ requiredOf }) => requiredOf === "everybody",
  );
  // The page of the administrator, who has none, leads there at once.
  await settings.getByText("A second factor is required of you").waitFor();

  const seen = await afterPassword(name);
  const { page, asked } = seen;
  await page.getByText("A second factor is required of you").waitFor();
  assert.equal(await page.getByRole("navigation").count(), 0);
  await assertAccessible(page, "a second factor is required");
  await page.goto(`${server}/console/features`);
  await page.getByText("A second factor is required of you").waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Shift+R");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await press(page, page.getByRole("button", { name: "Sign out" }));
  await page.getByLabel("User name or email").waitFor();

  const back = await afterPassword(name);
  await back.page.getByText("A second factor is required of you").waitFor();
  await back.page.goto(`${server}/console/features`);
  const app = await scan(back.page);
  await write(back.page, appCode(back.page), app());
  await back.page.keyboard.press("Enter");
  await back.page.getByRole("dialog", { name: "Your recovery codes" }).waitFor();
  assert.equal(await back.page.getByRole("navigation").count(), 0, "the codes stay until they are kept");
  await keepCodes(back.page);
  await back.page.getByRole("heading", { name: "Feature flags", level: 1 }).waitFor();
  await settled(back.page);
  await assertAtPeace(back);
  assert.ok(asked.every((url) => !url.includes("/search/events")));
});

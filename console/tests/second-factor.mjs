// What people do with a second factor of any kind, by the keyboard alone.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { reach, server, visitor } from "./chromium.mjs";

export const password = "Tests-Person-1";

export async function press(page, button) {
  await reach(page, button);
  await page.keyboard.press("Enter");
}

export async function write(page, field, text) {
  await reach(page, field);
  await page.keyboard.type(text);
}

/** The recovery codes of the dialog, which are kept as a file and by the clipboard, and then gone. */
export async function keepCodes(page) {
  const dialog = page.getByRole("dialog", { name: "Your recovery codes" });
  const codes = (await dialog.getByRole("region", { name: "The secrets" }).innerText()).trim().split("\n");
  assert.equal(new Set(codes).size, 10);
  await page.keyboard.press("Escape");
  await reach(page, dialog.getByRole("button", { name: "Save as a file" }));
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  assert.equal(download.suggestedFilename(), "flagstone-recovery-codes.txt");
  assert.deepEqual((await readFile(await download.path(), "utf8")).trim().split("\n"), codes);
  await press(page, dialog.getByRole("button", { name: "I have kept them" }));
  await dialog.waitFor({ state: "hidden" });
  return codes;
}

/** Types name and password into the page to sign in. */
export async function typePassword(page, username) {
  await page.goto(`${server}/console/sign-in`);
  await write(page, page.getByLabel("User name or email"), username);
  await write(page, page.getByLabel(/^Password/), password);
  await page.keyboard.press("Enter");
}

/** Somebody new at the page to sign in, after the right password. */
export async function afterPassword(username, size) {
  const seen = await visitor({ size });
  await typePassword(seen.page, username);
  return seen;
}

export const isIn = (page) => page.getByRole("heading", { name: /^Home/ }).waitFor();

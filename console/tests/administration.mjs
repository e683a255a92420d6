// Steps that many stories of administrators share.
import assert from "node:assert/strict";
import { ask } from "./chromium.mjs";

export const api = "/api/admin";
export const post = (path, body) => ask(api + path, { method: "POST", body });
export const put = (path, body) => ask(api + path, { method: "PUT", body });

let number = 0;
export const freshName = () => `done-${Date.now().toString(36)}-${++number}`;

export const userNamed = (username, more = {}) =>
  post("/user-admin", { username, password: "Tests-Person-1", rootRole: 3, sendEmail: false, ...more });

export async function choose(page, field, option) {
  await field.click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

/** Answers the question that comes before something is deleted for ever. */
export async function typeAndDelete(page, typed) {
  const asking = page.getByRole("dialog").filter({ has: page.getByLabel(/^Type /) });
  const button = asking.getByRole("button", { name: /^Delete / });
  assert.ok(await button.isDisabled(), "nothing is deleted before its name is typed");
  await asking.getByLabel(/^Type /).fill(typed);
  await button.click();
}

// Requests for access by people without an account, and the policy on accounts: from the form to what it leads to.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { ownServer } from "./own-server.mjs";
import { loginProvider } from "./provider.mjs";

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
const { api, choose, freshName, post, put, userNamed } = await import("./administration.mjs");
const { isIn, password, press, write } = await import("./second-factor.mjs");

const requests = async () => (await ask(`${api}/user-access-requests`)).userAccessRequests;
const policy = () => ask(`${api}/account-policy`);
const userOf = async (email) => (await ask(`${api}/user-admin`)).users.find((one) => one.email === email);

const unlimited = {
  personalTokensAllowed: true,
  personalTokenDays: null,
  serviceAccountTokenDays: null,
  inactiveUserDays: null,
};
const day = 86_400_000;
const inDays = (days) => new Date(Date.now() + days * day).toISOString();

let name;
let email;

beforeEach(async () => {
  name = freshName();
  email = `${name}@example.com`;
  for (const { id } of await requests()) await ask(`${api}/user-access-requests/${id}`, { method: "DELETE" });
  await put("/account-policy", unlimited);
});

/** The provider of the settings, where `email` signs in and nobody becomes a user by that. */
async function company(t) {
  const provider = await loginProvider(email);
  t.after(() => provider.close());
  const client = { clientId: "flags", secret: "kept-to-itself" };
  await post("/auth/oidc/settings", { enabled: true, autoCreate: false, discoverUrl: provider.issuer, ...client });
}

const letAsk = async (requestAccess) => put("/auth/policy", { ...(await ask(`${api}/auth/policy`)), requestAccess });

/** Somebody signs in through the provider of the settings. */
async function signInThrough(page) {
  await page.goto(`${server}/console/sign-in`);
  await press(page, page.getByRole("link", { name: "Sign in with OpenID Connect" }));
}

const waiting = "Your request for one waits for an administrator";

/** Somebody without an account, who asked for one. */
async function whoAsked() {
  const { page } = await visitor();
  await signInThrough(page);
  await page.getByText(waiting).first().waitFor();
  return page;
}

const rowOf = (page, text) => page.getByRole("row").filter({ hasText: text });

test("somebody without an account asks by signing in, is approved with a role, and comes in", async (t) => {
  await company(t);
  await letAsk(false);
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/people/access-requests");
  await page.getByText("Nobody waits for access.").waitFor();
  await assertAccessible(page, "no request for access");

  await press(page, page.getByRole("main").getByRole("link", { name: "policy", exact: true }));
  await page.getByRole("heading", { name: "Policy of login providers" }).waitFor();
  await reach(page, page.getByRole("switch", { name: /^People without an account request access/ }));
  await page.keyboard.press("Space");
  await press(page, page.getByRole("button", { name: "Save", exact: true }));
  await eventually(
    () => ask(`${api}/auth/policy`),
    ({ requestAccess }) => requestAccess === true,
  );

  const person = await whoAsked();
  assert.equal(await userOf(email), undefined, "asking makes no user");
  await open("/people/access-requests");
  const row = rowOf(page, email);
  await row.getByText("OpenID Connect", { exact: true }).waitFor();
  await page.getByRole("link", { name: /^Access requests ?1 waiting$/ }).waitFor();
  await assertAccessible(page, "a request for access");
  await press(page, row.getByRole("button", { name: `Approve … ${email}, OpenID Connect` }));
  const form = page.getByRole("dialog", { name: "Approve the request" });
  await form.getByText("This creates a user with this email").waitFor();
  await choose(page, form.getByRole("combobox", { name: "Role in the whole instance" }), "Editor");
  await assertAccessible(page, "an approval");
  assert.equal(await userOf(email), undefined, "nothing happens before it is confirmed");
  await press(page, form.getByRole("button", { name: "Approve it" }));
  await uncovered(page);
  await page.getByText("Nobody waits for access.").waitFor();
  assert.equal((await userOf(email)).rootRole, 2);
  assert.deepEqual(await requests(), []);

  await signInThrough(person);
  await isIn(person);
  await assertAtPeace(seen);
});

test("a request is rejected on a phone, after saying for how long, and cannot be made again", async (t) => {
  await company(t);
  await letAsk(true);
  const person = await whoAsked();
  const seen = await visitor({ as: admin, size: narrow });
  const { page, open } = seen;
  await open("/people/access-requests");
  const row = rowOf(page, email);
  await row.waitFor();
  await assertWithin(page.locator("html"));
  await press(page, row.getByRole("button", { name: `Reject … ${email}, OpenID Connect` }));
  const asking = page.getByRole("dialog", { name: `Reject the request of ${email}` });
  await asking.getByText("For 30 days this identity").waitFor();
  await assertAccessible(page, "a rejection on a phone");
  assert.equal((await requests()).length, 1, "nothing happens before it is confirmed");
  await press(page, asking.getByRole("button", { name: "Reject it" }));
  await page.getByText("Nobody waits for access.").waitFor();

  await signInThrough(person);
  await person.getByText("You may not sign in here").first().waitFor();
  assert.deepEqual([await requests(), await userOf(email)], [[], undefined]);
  await assertAtPeace(seen);
});

test("a request that was decided meanwhile is refused in the form, and is no longer open afterwards", async (t) => {
  await company(t);
  await letAsk(true);
  await whoAsked();
  const [{ id }] = await requests();
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/people/access-requests?approve=${id}`);
  const form = page.getByRole("dialog", { name: "Approve the request" });
  const approve = form.getByRole("button", { name: "Approve it" });
  await approve.waitFor();
  await ask(`${api}/user-access-requests/${id}`, { method: "DELETE" });
  await press(page, approve);
  await form.getByRole("alert").getByText("access request").first().waitFor();
  assert.equal(await userOf(email), undefined);
  await open(`/people/access-requests?approve=${id}`);
  await form.getByText("This request is no longer open").waitFor();
  await assertAtPeace(seen);
});

/** A service account with a token that lasts for some days. */
async function serviceAccount(days) {
  const { id } = await post("/service-account", { name, username: name, rootRole: 3 });
  await post(`/service-account/${id}/token`, { description: "pipeline", expiresAt: inDays(days) });
  return id;
}

const inactiveField = (page) => page.getByLabel(/^Deactivate users who were inactive for/);
const preview = (page) => page.getByRole("dialog", { name: "What saving changes" });

/** Replaces what a field has, and sends its form. */
async function set(page, field, text) {
  await reach(page, field);
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

test("the policy is set by the keyboard alone, once it was shown whom and what it concerns", async () => {
  const account = await serviceAccount(300);
  await userNamed(`${name}-idle`);
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/settings/sign-in/accounts");
  await page.getByText("Nobody: the policy deactivates no inactive users.").waitFor();
  await assertAccessible(page, "a policy without limits");

  // The server refuses it, and the field says so.
  await set(page, inactiveField(page), "5");
  await page.getByText("Must be at least 7.").waitFor();
  assert.equal(await inactiveField(page).getAttribute("aria-invalid"), "true");
  assert.equal(await page.getByRole("alert").count(), 0, "it is said once");

  await write(page, page.getByLabel(/^Longest lifetime of tokens of service accounts/), "90");
  await set(page, inactiveField(page), "30");
  const asking = preview(page);
  await asking.getByText("1 token of a service account ends earlier.").waitFor();
  await asking.getByText("Next, unless they use their account before").getByText(`${name}-idle`).waitFor();
  await assertAccessible(page, "a policy before it is saved");
  assert.equal((await policy()).inactiveUserDays, null, "nothing is saved before it is confirmed");
  await press(page, asking.getByRole("button", { name: "Save", exact: true }));
  await uncovered(page);
  const { inactiveUsersSince, ...set30 } = await policy();
  assert.deepEqual(set30, { ...unlimited, serviceAccountTokenDays: 90, inactiveUserDays: 30 });
  assert.notEqual(inactiveUsersSince, null);
  await rowOf(page, `${name}-idle`).getByText("never").waitFor();
  await assertAccessible(page, "users who are next");
  const { pats } = await ask(`${api}/service-account/${account}/token`);
  assert.ok(Date.parse(pats[0].expiresAt) <= Date.parse(inDays(90)), "the token ends earlier");
  const notices = page.getByRole("alert").filter({ hasText: "The policy on accounts is saved." });
  await notices.first().waitFor();
  assert.equal(await notices.getByRole("button", { name: "Undo" }).count(), 0, "tokens are not lengthened again");

  await set(page, inactiveField(page), "60");
  await press(page, asking.getByRole("button", { name: "Save", exact: true }));
  await takeBack(page, policy, ({ inactiveUserDays }) => inactiveUserDays === 60);
  await eventually(policy, ({ inactiveUserDays }) => inactiveUserDays === 30);
  await assertAtPeace(seen);
});

test("what somebody else changed of the policy meanwhile is told and kept, on a phone", async () => {
  const seen = await visitor({ as: admin, size: narrow });
  const { page, open } = seen;
  await open("/settings/sign-in/accounts");
  await write(page, inactiveField(page), "40");
  await put("/account-policy", { ...unlimited, personalTokenDays: 100 });
  await reach(page, inactiveField(page));
  await page.keyboard.press("Enter");
  await preview(page).getByText("Somebody changed these settings meanwhile").waitFor();
  await press(page, preview(page).getByRole("button", { name: "Save", exact: true }));
  await eventually(policy, (stored) => stored.personalTokenDays === 100 && stored.inactiveUserDays === 40);
  await assertWithin(page.locator("html"));
  await assertAtPeace(seen);
});

test("the form of a personal token goes as far as the policy, and says so", async () => {
  await put("/account-policy", { ...unlimited, personalTokenDays: 45 });
  const { id } = await userNamed(name);
  const seen = await visitor({ as: { username: name, password } });
  const { page, open } = seen;
  await open("/me/tokens");
  await press(page, page.getByRole("button", { name: "New personal token" }));
  const form = page.getByRole("dialog", { name: "New personal token" });
  await form.getByText("In 45 days at most, by the policy on accounts or the limit of the operator.").waitFor();
  await form.getByLabel(/^What it is for/).fill("nightly");
  const at = form.getByLabel(/^Expires, in/);
  await at.fill("2099-01-01T00:00");
  await form.getByText("It must end in 45 days at most.").waitFor();
  assert.equal(await at.getAttribute("aria-invalid"), "true");
  const create = form.getByRole("button", { name: "Create the token" });
  assert.equal(await create.getAttribute("aria-disabled"), "true");
  await assertAccessible(page, "a personal token that would last too long");
  await choose(page, form.getByRole("combobox", { name: "Expires", exact: true }), "in 45 days");
  await press(page, create);
  await page.getByRole("dialog", { name: "Your personal token" }).waitFor();
  const { pats } = await ask(`${api}/user-admin/${id}/tokens`);
  const left = Date.parse(pats[0].expiresAt) - Date.now();
  assert.ok(left > 44 * day && left <= 45 * day, `it lasts ${left / day} days`);

  await put("/account-policy", { ...unlimited, personalTokensAllowed: false });
  await open("/me/tokens?new=true");
  const button = page.getByRole("button", { name: "New personal token" });
  await button.waitFor();
  assert.equal(await button.getAttribute("aria-disabled"), "true");
  await button.focus();
  await page.getByText("Administrators let nobody create personal tokens.").waitFor();
  assert.equal(await form.count(), 0);
  await assertAtPeace(seen);
});

test("the form of a token of a service account has the choices that the policy leaves", async () => {
  await put("/account-policy", { ...unlimited, serviceAccountTokenDays: 10 });
  const account = await serviceAccount(5);
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/people/programs?account=${account}`);
  await press(page, page.getByRole("button", { name: "New token", exact: true }));
  const form = page.getByRole("dialog", { name: "New token of the service account" });
  await form.getByText("In 10 days at most").waitFor();
  const expires = form.getByRole("combobox", { name: "Expires", exact: true });
  await expires.click();
  const options = page.getByRole("option");
  await options.first().waitFor();
  assert.deepEqual(await options.allInnerTexts(), ["in 7 days", "in 10 days", "at a moment"]);
  await options.getByText("in 7 days").click();
  await form.getByLabel(/^What it is for/).fill("deploy");
  await press(page, form.getByRole("button", { name: "Create the token" }));
  await page.getByRole("dialog", { name: `A token of ${name}` }).waitFor();
  await assertAtPeace(seen);
});

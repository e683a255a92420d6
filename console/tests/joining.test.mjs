// How somebody without a session comes in: by a link to set a password, or to join.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { api, freshName, post, put } from "./administration.mjs";
import { admin, ask, assertAtPeace, eventually, server, settled, visitor } from "./chromium.mjs";
import { testPages } from "./look.mjs";

const links = {};
const password = "Tests-Grace-1";
// Of what must be filled in, the label ends with a star.
const labels = {
  password: /^New password( \*)?$/,
  again: /^New password again( \*)?$/,
  signIn: /^Password( \*)?$/,
  name: /^Name( \*)?$/,
};
let name;

beforeEach(() => {
  name = freshName();
});

const month = () => new Date(Date.now() + 30 * 24 * 60 * 60_000).toISOString();
const invited = (name) =>
  post("/user-admin", { email: `${name}@example.com`, name, rootRole: 3, sendEmail: false }).then(
    ({ inviteLink }) => inviteLink,
  );
const signupLink = (name) => post("/invite-link/tokens", { name, expiresAt: month() });
/** The page that a link leads to: the name of its secret is the same there. */
const pageOf = (link) => {
  const { searchParams, search } = new URL(link);
  return (searchParams.has("token") ? "/reset" : "/join") + search;
};

const known = freshName();
links.reset = pageOf(await invited(known));
links.join = pageOf((await signupLink(freshName())).url);

testPages({
  reset: { path: () => links.reset, stranger: true },
  "reset-dead": { path: () => "/reset?token=nobody-made-this", stranger: true },
  "reset-incomplete": { path: () => "/reset", stranger: true },
  join: { path: () => links.join, stranger: true },
  "join-dead": { path: () => "/join?invite=nobody-made-this", stranger: true },
  forgotten: { path: () => "/forgotten", stranger: true },
  "sign-in-joined": { path: () => "/sign-in?after=joined", stranger: true },
});

async function typePassword(page, typed, again = typed) {
  await page.getByLabel(labels.password).fill(typed);
  await page.getByLabel(labels.again).fill(again);
}

async function comeIn(page, username) {
  await page.getByLabel("User name or email").fill(username);
  await page.getByLabel(labels.signIn).fill(password);
  await page.keyboard.press("Enter");
  await page.getByRole("navigation").first().waitFor();
  await settled(page);
}

/** Neither the secrets nor the password are kept anywhere, and the last requests show neither. */
async function assertForgotten(page, secrets) {
  await page.keyboard.press("Shift+R");
  const drawer = page.getByRole("dialog", { name: "Requests of this tab" });
  await drawer.getByText("GET /api/admin/user", { exact: true }).first().waitFor();
  const kept = await page.evaluate(
    () =>
      JSON.stringify({ ...localStorage, ...sessionStorage, state: history.state }) + location.href + document.cookie,
  );
  const shown = kept + (await page.content()) + (await drawer.innerText());
  for (const secret of secrets) assert.ok(!shown.includes(secret), "a secret is still somewhere");
  return drawer;
}

test("an invited person sets a password by keys alone, signs in, and the link is used up", async () => {
  const path = pageOf(await invited(name));
  const secret = new URL(path, server).searchParams.get("token");
  const seen = await visitor();
  const { page, open } = seen;
  await open(path);
  await page.getByText(`For ${name} (${name}@example.com), by a link that`).waitFor();
  // The cursor waits in the field.
  await page.waitForFunction(
    () => document.activeElement === document.querySelector("input[autocomplete=new-password]"),
  );
  await page.keyboard.type("short");
  await page.keyboard.press("Tab");
  await page.getByText("A password needs at least 10 characters.").waitFor();
  await page.keyboard.press("Enter");
  assert.ok(page.url().includes(secret), "nothing is sent before it is the same twice");
  await typePassword(page, password, `${password}x`);
  await page.keyboard.press("Enter");
  await page.getByText("It is not the same.").waitFor();
  assert.equal(await page.getByText("A password needs at least").count(), 0);
  await typePassword(page, password);
  await page.keyboard.press("Enter");

  await page.getByText("Your password is set. Sign in with it.").waitFor();
  assert.equal(new URL(page.url()).search, "?after=password");
  await comeIn(page, `${name}@example.com`);
  const drawer = await assertForgotten(page, [secret, password]);
  await drawer.getByText("GET /auth/reset/validate?token=…").waitFor();
  await assertAtPeace(seen);

  const late = await visitor();
  await late.open(path);
  await late.page.getByRole("alert").getByText("This link does not work any more").waitFor();
  await late.page.getByText("Ask an administrator for another one.").waitFor();
  await late.page.getByRole("link", { name: "Sign in" }).click();
  await late.page.getByLabel("User name or email").waitFor();
});

test("a link that is used meanwhile says so in the form, and a lost connection loses nothing typed", async () => {
  const path = pageOf(await invited(name));
  const { page, open, context } = await visitor();
  await open(path);
  await typePassword(page, password);
  await context.setOffline(true);
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("alert").getByText("The server does not answer", { exact: true }).waitFor();
  await context.setOffline(false);
  const token = new URL(path, server).searchParams.get("token");
  await ask("/auth/reset/password", { method: "POST", body: { token, password: "Somebody-Else-1" } });
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("alert").getByText("This link does not work any more").waitFor();
  assert.equal(await page.getByLabel(labels.password).inputValue(), password);
});

test("after too many attempts it counts down, and then goes on with what was typed", async () => {
  const { page, open } = await visitor();
  await page.clock.install();
  await open(pageOf(await invited(name)));
  await typePassword(page, password);
  const guess = () =>
    fetch(`${server}/auth/reset/password`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: "a-guess", password }),
    });
  // Whoever guessed so often is refused once more, and the countdown stands still while the test looks at it.
  await page.route(
    "**/auth/reset/password",
    async (route) => {
      let refused;
      do refused = await guess();
      while (refused.status !== 429);
      await page.clock.pauseAt(Date.now() + 60 * 60_000);
      const headers = Object.fromEntries(
        ["content-type", "retry-after"].map((name) => [name, refused.headers.get(name)]),
      );
      await route.fulfill({ status: 429, headers, body: await refused.text() });
    },
    { times: 1 },
  );
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("button", { name: /^Too many attempts: try again in \d+ s$/, disabled: true }).waitFor();
  await page.getByRole("status").getByText("Too many attempts", { exact: true }).waitFor({ state: "attached" });
  assert.equal(await page.getByRole("alert").count(), 0, "the button says it, and nothing else says it too");
  await page.clock.resume();
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByText("Your password is set.").waitFor();
});

test("somebody joins by a sign-up link; an email that is taken is told, and what was typed stays", async () => {
  const link = await signupLink(name);
  const path = pageOf(link.url);
  const email = `${name}@example.com`;
  const seen = await visitor();
  const { page, open } = seen;
  await open(path);
  await page.getByLabel(labels.name).fill("Grace Hopper");
  await page.getByLabel("Email").fill(`${known}@example.com`);
  await page.getByLabel("User name").fill(name);
  await typePassword(page, "Tests-Grace");
  await page.keyboard.press("Enter");
  await page.getByText(/A password needs .*digit/).waitFor();
  await typePassword(page, password);
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByLabel(labels.name).inputValue(), "Grace Hopper");
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: "Join" }).click();
  await page.getByText("You have joined.").waitFor();
  await comeIn(page, name);
  const drawer = await assertForgotten(page, [link.secret, password]);
  await drawer.getByText("POST /invite/…/signup").first().waitFor();
  await assertAtPeace(seen);
  const { users } = await ask(`${api}/user-admin`);
  const { username, name: shown, rootRole } = users.find((user) => user.email === email);
  assert.deepEqual({ username, shown, rootRole }, { username: name, shown: "Grace Hopper", rootRole: 3 });

  const { tokens } = await ask(`${api}/invite-link/tokens`);
  await put(`/invite-link/tokens/${tokens.find((one) => one.name === name).secret}`, { enabled: false });
  const late = await visitor();
  await late.open(path);
  await late.page.getByText("It has expired, or was disabled.").waitFor();
});

test("who forgot the password is told whom to ask, and comes in by the link that an administrator makes", async () => {
  const email = `${name}@example.com`;
  const { id } = await post("/user-admin", { email, username: name, name, rootRole: 3, sendEmail: false, password });
  const seen = await visitor();
  const { page, open } = seen;
  await open("/sign-in");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByText("This server sends no email.").waitFor();
  await page.getByLabel("Your email").fill(email);
  const [noted] = await Promise.all([
    page.waitForResponse((answer) => answer.url().endsWith("/auth/reset/password-email")),
    page.getByRole("button", { name: "Note that I ask" }).click(),
  ]);
  assert.deepEqual(noted.request().postDataJSON(), { email });
  await page.getByRole("status").getByText("if somebody here has this email").waitFor();
  await assertAtPeace(seen);

  const administrator = await visitor({ as: admin });
  await administrator.open(`/people/users?user=${id}`);
  await administrator.page.getByRole("button", { name: "Create a link" }).click();
  const shown = administrator.page.getByRole("dialog", { name: "A link to set a password" });
  const link = (await shown.getByRole("region", { name: "The secret" }).innerText()).trim();
  await open(pageOf(link));
  const another = "Tests-Another-2";
  await typePassword(page, another);
  await page.getByLabel(labels.again).press("Enter");
  const isSet = page.getByText("Your password is set. Sign in with it.");
  // Tests before this one may have used up the attempts of the minute.
  await isSet.or(page.getByRole("alert")).first().waitFor();
  if (!(await isSet.count())) await page.getByRole("button", { name: "Set the password" }).click();
  await isSet.waitFor();
  await page.getByLabel("User name or email").fill(email);
  await page.getByLabel(labels.signIn).fill(another);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: `Me: ${name}` }).waitFor();
});

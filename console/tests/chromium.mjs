// The console in Chromium, on the real server, with all that it asked for and complained of.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, afterEach } from "node:test";
import { chromium } from "playwright-core";
import { ask, server } from "./api.mjs";
import { findings } from "./axe.mjs";

export { ask, server };

export const wide = { width: 1280, height: 900 };
export const narrow = { width: 390, height: 844 };

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: [
    // Names lead nowhere, so that a request elsewhere fails even on a machine that could make it.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // A page is left after a second or two, before what it runs has earned being compiled well.
    "--js-flags=--no-opt --no-maglev",
    ...(process.getuid() === 0 ? ["--no-sandbox"] : []),
  ],
});
after(() => browser.close());

/** Those that come again, by who they are. */
const returning = new Map();

// What a test leaves open would go on asking the server; of one that failed, its pictures tell more than its words.
afterEach(async ({ passed, name }) => {
  const stay = [...returning.values()].map(({ context }) => context);
  const left = browser.contexts().filter((context) => !stay.includes(context));
  if (passed === false) {
    const pages = left.flatMap((context) => context.pages());
    await Promise.all(pages.map((page, at) => picture(page, `failed ${name} ${at}`).catch(() => undefined)));
  }
  // Answers that are still on their way come too late for whoever changes them.
  await Promise.all(
    left.flatMap((context) => [context, ...context.pages()]).map((one) => one.unrouteAll({ behavior: "ignoreErrors" })),
  );
  await Promise.all(left.map((context) => context.close()));
});

/** A fresh browser. It has no session unless somebody is named. */
export async function visitor({ size = wide, scheme = "light", as } = {}) {
  const context = await browser.newContext({ viewport: size, colorScheme: scheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(90_000);
  const asked = [];
  const complaints = [];
  context.on("request", (request) => asked.push(request.url()));
  context.on("weberror", (error) => complaints.push(error.error().stack));
  context.on("console", (message) => {
    // What Chromium says of answers that are no success: tests that expect none look at the page.
    const isAnswer = message.text().startsWith("Failed to load resource: the server responded");
    if (["error", "warning"].includes(message.type()) && !isAnswer) complaints.push(message.text());
  });
  await page.addInitScript(() => {
    // What offers Undo for ten seconds goes on offering it, however long a slow machine takes to get there.
    const start = window.setTimeout;
    window.setTimeout = (run, after, ...rest) => start(run, after === 10_000 ? 2 ** 31 - 1 : after, ...rest);
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) =>
      window.violations.push(`${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  if (as) await signIn(context, as);
  return { context, page, asked, complaints, open: (path) => open(page, path) };
}

/**
 * Somebody who was here before, so that the browser loads and compiles the console once for all. What it stored itself is
 * gone each time it loads. Who was part of a test that failed does not come again.
 */
export async function returningVisitor({ as } = {}, act) {
  const who = as?.username ?? "";
  const seen = returning.get(who) ?? (await newcomer(as));
  returning.delete(who);
  seen.asked.length = 0;
  seen.complaints.length = 0;
  await act(seen);
  returning.set(who, seen);
}

async function newcomer(as) {
  const seen = await visitor({ as });
  await seen.page.addInitScript(() => {
    if (location.protocol !== "http:") return;
    localStorage.clear();
    sessionStorage.clear();
  });
  return seen;
}

const sessions = new Map();

/**
 * By the operation itself, once for each person, and again when the server says so, since it counts attempts; the page for
 * it has tests of its own.
 */
export async function signIn(context, { username, password }) {
  while (!sessions.has(username)) {
    const answer = await context.request.post(`${server}/auth/simple/login`, { data: { username, password } });
    const { "retry-after": seconds } = answer.headers();
    if (answer.status() === 429) {
      await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000));
    } else {
      assert.equal(answer.status(), 200, await answer.text());
      sessions.set(username, await context.cookies());
    }
  }
  await context.addCookies(sessions.get(username));
}

/** The next visitor begins a session of their own: that of the ones before ends. */
export const forgetSession = ({ username }) => sessions.delete(username);

export const admin = { username: "admin", password: "Tests-Admin-1" };

async function open(page, path) {
  await page.goto(`${server}/console${path}`);
  await settled(page);
}

/** Nothing is loaded any more. */
export const settled = (page) =>
  page.waitForFunction(() => !document.querySelector("[aria-busy=true]") && document.querySelector("h1"));

export async function assertAtPeace({ page, asked, complaints }) {
  const elsewhere = asked.filter((url) => !url.startsWith(`${server}/`) && !/^(about|blob|data):/.test(url));
  assert.deepEqual(elsewhere, [], "requests to other hosts");
  assert.deepEqual(complaints, [], "complaints");
  assert.deepEqual(await page.evaluate(() => window.violations), [], "violations of the policy");
}

/** No finding of axe, by all rules of WCAG 2.2 AA and of good practice, or by some of them. */
export const assertAccessible = async (page, what, only) => assert.deepEqual(await findings(page, only), [], what);

const picture = (page, name) =>
  page.screenshot({ path: join(process.env.PICTURES, `${name.replace(/[^a-z0-9]+/gi, "-")}.png`) });

/** Whether pictures are wanted: drawing and writing them takes as long as the rest of a look. */
export const isPictured = Boolean(process.env.EVERY_PICTURE);

/** Keeps a picture: of all pages where pictures are wanted, and of what failed in any case. */
export const keep = async (page, name, isFailed = false) => {
  if (isPictured || isFailed) await picture(page, name).catch(() => undefined);
};

/** Waits for what the server says to become true. */
export async function eventually(question, isTrue) {
  for (const end = Date.now() + 90_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
    if (isTrue(await question())) return;
  }
  assert.fail(`it did not become true: ${isTrue}`);
}

/** Nothing in a place is wider than it; what is drawn late may push something aside for a moment. */
export async function assertWithin(place) {
  const overflow = () => place.evaluate((one) => one.scrollWidth - one.clientWidth);
  for (const end = Date.now() + 10_000; (await overflow()) > 0 && Date.now() < end;)
    await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok((await overflow()) <= 0, `${await overflow()} px too wide`);
}

/** Turns a switch by its track, which lies over the control itself. */
export const flip = (control) => control.locator("xpath=following-sibling::span").click();

/** Nothing lies over the page any more: keys mean those of the page. */
export const uncovered = (page) => page.waitForFunction(() => !document.querySelector("[role=dialog]"));

/** Goes to a control by the keyboard alone. */
export async function reach(page, control) {
  await control.waitFor();
  for (let step = 0; step < 200; step += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail("the control is not reached by Tab");
}

/** A dialog is there and has the focus, so that keys mean it. */
export const hasFocus = (page) =>
  page.waitForFunction(() => document.querySelector("[role=dialog]")?.contains(document.activeElement));

/**
 * Takes back what was done, by the notice that offers it: what the server says is asked just before it hears of it,
 * however slow the page is. Of several notices, it is the one that says `told`; in production its button says what it
 * does.
 */
export async function takeBack(page, question, isDone, told = "", label = "Undo") {
  const button = page.getByRole("alert").filter({ hasText: told }).getByRole("button", { name: label });
  // What was done has been answered by then.
  await button.waitFor();
  const found = [];
  const look = async (route) => {
    const answers = route.request().method() === "GET" ? [] : [await question()];
    // One that was asked just before the end of this goes on by itself.
    await route.continue().catch(() => undefined);
    found.push(...answers);
  };
  await page.route("**/api/admin/**", look);
  await button.click();
  await eventually(
    () => found.length,
    (count) => count > 0,
  );
  await page.unroute("**/api/admin/**", look);
  assert.ok(isDone(found[0]), `it was not done: ${isDone}`);
}

// An unchanged console of the reference in front of the server, as the README says: who opens its pages, and how.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { ask as askServer, browser } from "./chromium.mjs";

const { CONSOLE_SERVER: server, REPOSITORY: repository } = process.env;
export const address = process.env.CONSOLE_URL;
export const ask = (path, request) => askServer(path, { ...request, at: address });

// Whom it asks besides: for a font, symbols and pictures of people. Here they get nothing.
const others = ["fonts.googleapis.com", "fonts.gstatic.com", "gravatar.com"];

// What it asks and there is nothing, each with the reason. Everything else that is refused fails the test.
export const refused = [
  [/^404 .*\/telemetry\/settings$/, "nobody is told anything about this server"],
];

const size = { viewport: { width: 1500, height: 1000 } };
export const stranger = await browser.newContext(size);
export const context = await browser.newContext(size);

// Serves the console of this directory before a server, and signs in.
export async function serve(directory, before = server) {
  const script = spawn(process.execPath, [join(repository, "docs/console.mjs"), directory, before, new URL(address).port]);
  script.stderr.pipe(process.stderr);
  // The next file of tests listens on the same address.
  after(async () => {
    if (script.exitCode === null && script.kill()) await once(script, "exit");
  });
  await once(script.stdout, "data");
  await signIn(context, { username: "admin", password: "Tests-Admin-1" });
}

// Somebody else, signed in.
export async function enter(username, password) {
  const theirs = await browser.newContext(size);
  await signIn(theirs, { username, password });
  return theirs;
}

async function signIn(as, credentials) {
  const signedIn = await as.request.post(`${address}/auth/simple/login`, { data: credentials });
  assert.equal(signedIn.status(), 200);
}

// What each page is to be blamed for, and what it may be refused.
const watches = new WeakMap();
// A page of each visitor that nobody looks at any more: the next one is shown in it, and what the console is made of is not
// compiled again.
const idle = new Map();

async function newPage(from) {
  const page = await from.newPage();
  page.setDefaultTimeout(90_000);
  const watch = { complaints: [], expected: [], asking: new Set() };
  watches.set(page, watch);
  await page.route((url) => others.includes(url.hostname), (route) => route.fulfill({ status: 200, body: "" }));
  page.on("request", (request) => {
    const { origin, hostname, protocol } = new URL(request.url());
    const known = origin === address || others.includes(hostname) || ["data:", "blob:"].includes(protocol);
    if (!known) watch.complaints.push(`asked elsewhere: ${request.url()}`);
    // A question about what it does not know yet, whatever the answer is.
    const isExpected = watch.expected.some(([pattern]) => pattern.test(`404 GET ${request.url()}`));
    if (/\bundefined\b/.test(request.url()) && !isExpected) watch.complaints.push(`asked about nothing: ${request.url()}`);
  });
  page.on("response", (response) => {
    const said = `${response.status()} ${response.request().method()} ${response.url()}`;
    const isExpected = watch.expected.some(([pattern]) => pattern.test(said));
    if (response.status() >= 400 && !isExpected) watch.complaints.push(said);
  });
  page.on("pageerror", (error) => watch.complaints.push(error.stack));
  page.on("console", (message) => {
    // What is refused is judged above.
    const isRefusal = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isRefusal) watch.complaints.push(message.text());
  });
  page.on("request", (request) => watch.asking.add(request));
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (request) => watch.asking.delete(request));
  return page;
}

// Opens a page and waits until it says what it should. Nothing may go wrong meanwhile, and only who expects the
// advertisement of the paid edition may get it.
export async function open(path, says, { from = context, known: expected = refused, ends = true, advert = false } = {}) {
  const page = idle.get(from) ?? (await newPage(from));
  idle.delete(from);
  const watch = Object.assign(watches.get(page), { expected });
  await page.goto(address + path);
  await page.getByText(says).filter({ visible: true }).first().waitFor();
  if (ends) await page.waitForLoadState("networkidle");
  await assertWhole(page, path, advert);
  return page;
}

// Turns an open page to another path as the console's own links do: nothing of the console is loaded again.
export async function turn(page, path, says, { known: expected = refused, advert = false } = {}) {
  const watch = Object.assign(watches.get(page), { expected });
  const go = () =>
    page.evaluate((to) => {
      history.pushState({}, "", to);
      dispatchEvent(new PopStateEvent("popstate"));
    }, path);
  await arrive(page, path, go, says);
  // What is shown last may ask for more.
  for (let quiet = 0; quiet < 5; quiet = watch.asking.size === 0 ? quiet + 1 : 0) await pause(30);
  await assertWhole(page, path, advert);
}

// Goes to a path until the page says what it should: a list of the newest console writes into the address how it is sorted,
// which can come after what led away from it, and leads back.
export async function arrive(page, path, go, says) {
  const shown = page.getByText(says).filter({ visible: true }).first();
  const end = Date.now() + 90_000;
  await go();
  for (;;) {
    try {
      return await shown.waitFor({ timeout: 5_000 });
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    if (new URL(page.url()).pathname !== new URL(path, address).pathname) await go();
  }
}

// Does something until that is shown: what a console writes into the address can come after what was chosen next, and undo it.
export async function insist(act, shown) {
  const end = Date.now() + 90_000;
  for (;;) {
    await act();
    try {
      return await shown.waitFor({ timeout: 5_000 });
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

async function assertWhole(page, path, advert) {
  const text = await page.locator("body").innerText();
  assert.doesNotMatch(text, /Something went wrong|Ooops|404 Not Found/, path);
  if (!advert) assert.doesNotMatch(text, /upgrade your plan/, path);
  assert.deepEqual(watches.get(page).complaints, [], path);
}

// Leaves a page, on which nothing may have gone wrong after it was opened either.
export async function close(page) {
  const path = page.url().slice(address.length);
  const from = page.context();
  if (idle.has(from)) {
    await page.close();
  } else {
    await page.goto("about:blank");
    idle.set(from, page);
  }
  assert.deepEqual(watches.get(page).complaints, [], path);
}

// Waits until that is read.
export async function becomes(read, expected) {
  const end = Date.now() + 90_000;
  let seen = await read();
  while (!isDeepStrictEqual(seen, expected) && Date.now() < end) {
    await pause(50);
    seen = await read();
  }
  assert.deepEqual(seen, expected);
}

// The console in Chromium, on the real server, with all that it asked for and complained of.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after } from "node:test";
import { chromium } from "playwright-core";

export const server = process.env.FLAGSTONE_URL;
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const wide = { width: 1280, height: 900 };
export const narrow = { width: 390, height: 844 };

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: [
    // Names lead nowhere, so that a request elsewhere fails even on a machine that could make it.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    ...(process.getuid() === 0 ? ["--no-sandbox"] : []),
  ],
});
after(() => browser.close());

const visitors = [];
after(() => Promise.all(visitors.map((context) => context.close())));

/** A fresh browser. It has no session unless somebody is named. */
export async function visitor({ size = wide, scheme = "light", as } = {}) {
  const context = await browser.newContext({ viewport: size, colorScheme: scheme, reducedMotion: "reduce" });
  visitors.push(context);
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
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) =>
      window.violations.push(`${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  if (as) await signIn(context, as);
  return { context, page, asked, complaints, open: (path) => open(page, path) };
}

const sessions = new Map();

/** By the operation itself, once for each person, since the server counts attempts; the page for it has tests of its own. */
export async function signIn(context, { username, password }) {
  if (!sessions.has(username)) {
    const answer = await context.request.post(`${server}/auth/simple/login`, { data: { username, password } });
    assert.equal(answer.status(), 200, await answer.text());
    sessions.set(username, await context.cookies());
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
export async function assertAccessible(page, what, only) {
  await page.evaluate(axe);
  const found = await page.evaluate(async (only) => {
    const { violations } = await window.axe.run(document, {
      resultTypes: ["violations"],
      ...(only ? { runOnly: only } : { rules: { "target-size": { enabled: true } } }),
    });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} (${node.failureSummary})`).join("; ")}`,
    );
  }, only);
  assert.deepEqual(found, [], what);
}

export const keep = (page, name) => page.screenshot({ path: join(process.env.PICTURES, `${name}.png`) });

/** What the API itself says. */
export async function ask(path, { method = "GET", body } = {}) {
  const headers = { authorization: process.env.FLAGSTONE_ADMIN_TOKEN, "content-type": "application/json" };
  const answer = await fetch(server + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

/** Waits for what the server says to become true. */
export async function eventually(question, isTrue) {
  for (const end = Date.now() + 90_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
    if (isTrue(await question())) return;
  }
  assert.fail(`it did not become true: ${isTrue}`);
}

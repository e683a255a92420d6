// A page in Chromium, with all that it asked for and complained of.
import assert from "node:assert/strict";
import { after, afterEach } from "node:test";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const server = process.env.FLAGSTONE_URL;
const pictures = process.env.PICTURES;

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  // Names lead nowhere, so that a request elsewhere fails even on a machine that could make it.
  args: [
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--disable-gpu",
    // A page is left after a second or two, before what it runs has earned being compiled well.
    "--js-flags=--no-opt --no-maglev",
    ...(process.getuid() === 0 ? ["--no-sandbox"] : []),
  ],
});
after(() => browser.close());

// A fresh visitor at that path of the server. `size` is that of the window.
export async function visit(path, size = { width: 1400, height: 900 }) {
  const context = await browser.newContext({ viewport: size, permissions: [] });
  const page = await context.newPage();
  page.setDefaultTimeout(90_000);
  const asked = [];
  const complaints = [];
  context.on("request", (request) => asked.push(request.url()));
  context.on("requestfailed", (request) => {
    const { errorText } = request.failure();
    // Who leaves a page gives up what it still loads.
    if (errorText !== "net::ERR_ABORTED") complaints.push(`${request.url()}: ${errorText}`);
  });
  context.on("weberror", (error) => complaints.push(error.error().stack));
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  await page.goto(server + path);
  return { page, asked, complaints };
}

// Nothing was asked of another host, and nothing went wrong.
export function assertAtPeace({ asked, complaints }) {
  const elsewhere = asked.filter((url) => !url.startsWith(`${server}/`) && !/^(about|blob|data):/.test(url));
  assert.deepEqual(elsewhere, [], "requests to other hosts");
  assert.deepEqual(complaints, [], "complaints in the console");
}

// Keeps a picture of what the window shows, where pictures are wanted.
export const keep = async (page, name) =>
  process.env.EVERY_PICTURE && page.screenshot({ path: join(pictures, `${name}.png`) });

// What the windows showed when a test failed.
afterEach(async ({ passed, name }) => {
  if (passed !== false) return;
  const pages = browser.contexts().flatMap((context) => context.pages());
  const failed = `failed ${name}`.replace(/[^a-z0-9]+/gi, "-");
  await Promise.all(
    pages.map((page, at) => page.screenshot({ path: join(pictures, `${failed}-${at}.png`) }).catch(() => undefined)),
  );
});

// What the API itself says, without a browser.
export async function ask(path, { method = "GET", body, at = server } = {}) {
  const headers = { authorization: process.env.FLAGSTONE_ADMIN_TOKEN, "content-type": "application/json" };
  const answer = await fetch(at + path, { method, headers, body: body && JSON.stringify(body) });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
  const text = await answer.text();
  return text ? JSON.parse(text) : undefined;
}

// The operations of the document, each with the tags under which it is shown; `tag` is the first.
export async function operations() {
  const { paths } = await (await fetch(`${server}/docs/openapi.json`)).json();
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .map((operation) => ({ ...operation, tag: operation.tags[0] }));
}

// What the console promises of its size, pace and care, measured on every page: `tests/console/budgets` starts it.
import { chromium } from "playwright-core";
import { ask, server, sessionOf } from "./api.mjs";
import { findings } from "./axe.mjs";
import { fill, projects } from "./budgets/data.mjs";
import { idle } from "./budgets/idle.mjs";
import { bulk, scrolled } from "./budgets/lists.mjs";
import { blocked, paints, watchPaints } from "./budgets/paints.mjs";
import { pageTable, summary } from "./budgets/tables.mjs";
import * as administration from "./looks/administration.mjs";
import * as approvals from "./looks/approvals.mjs";
import * as work from "./looks/work.mjs";

const wide = { width: 1280, height: 900 };
const narrow = { width: 390, height: 844 };
const wanted = process.argv.slice(2);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--disable-gpu", "--no-first-run", ...(process.getuid() === 0 ? ["--no-sandbox"] : [])],
});

const sessions = new Map();
const cookieOf = async (who) => {
  if (!sessions.has(who.username)) sessions.set(who.username, (await sessionOf(who)).cookie);
  const [name, value] = sessions.get(who.username).split("=");
  return { name, value, url: server };
};
const admin = { username: "admin", password: "Tests-Admin-1" };

/** A browser that was never here, in which somebody is signed in; nobody for a stranger. */
async function visitor(who, { isSlow = false } = {}) {
  const context = await browser.newContext({ viewport: wide, reducedMotion: "reduce" });
  if (who) await context.addCookies([await cookieOf(who)]);
  const page = await context.newPage();
  page.setDefaultTimeout(90_000);
  await page.addInitScript(watchPaints);
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  if (isSlow) {
    await network.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    // "3G Fast" of WebPageTest.
    const [down, up] = [1_600_000 / 8, 768_000 / 8];
    const conditions = { offline: false, latency: 150, downloadThroughput: down, uploadThroughput: up };
    await network.send("Network.emulateNetworkConditions", conditions);
  }
  return { context, page, network };
}

/** Opens a page, and waits until nothing of it is loaded any more. */
async function open(page, { path, dialog }) {
  await page.goto(`${server}/console${path()}`);
  await (dialog ? page.getByRole("dialog").waitFor() : page.locator("h1, [role=alert]").first().waitFor());
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
  await page.waitForLoadState("networkidle");
}

async function measured(name, look) {
  const who = look.stranger ? undefined : (look.as?.() ?? admin);
  const { context, page, network } = await visitor(who);
  const found = { name, bytes: 0, requests: 0, calls: 0, errors: [] };
  const addresses = new Map();
  network.on("Network.requestWillBeSent", ({ requestId, request }) => addresses.set(requestId, request.url));
  network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const address = addresses.get(requestId);
    if (!address?.startsWith(server)) return;
    found.bytes += encodedDataLength;
    found.requests += 1;
    if (new URL(address).pathname.startsWith("/api/")) found.calls += 1;
  });
  page.on("pageerror", ({ message }) => found.errors.push(message));
  page.on("console", (message) => message.type() === "error" && found.errors.push(message.text()));
  await open(page, look);
  Object.assign(found, await page.evaluate(paints));
  found.elements = await page.evaluate(() => document.querySelectorAll("*").length);
  found.axe = (await findings(page)).length;
  await page.setViewportSize(narrow);
  found.wider = await page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth));
  await page.setViewportSize(wide);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() => document.documentElement.dataset.mantineColorScheme === "dark");
  found.axe += (await findings(page, ["color-contrast"])).length;
  await context.close();

  const slow = await visitor(who, { isSlow: true });
  await open(slow.page, look);
  const { first, largest, shift } = await slow.page.evaluate(paints);
  found.slow = { first, largest, blocked: await slow.page.evaluate(blocked) };
  found.shift = Math.max(found.shift, shift);
  await slow.context.close();
  // What is not there, or may not be seen, is told by the answer itself.
  if (/-(missing|refused)$/.test(name)) found.errors = found.errors.filter((text) => !/status of 40[34]/.test(text));
  return found;
}

for (const { prepare } of [work, administration, approvals]) await prepare();
await fill(ask);
const everything = {
  ...work.pages,
  ...administration.pages,
  ...approvals.pages,
  "playground-all": { path: () => "/playground?environment=production&userId=1,42" },
  "features-many": { path: () => `/projects/${projects[0]}/features` },
};
const looks = Object.entries(everything).filter(([name]) => wanted.length === 0 || wanted.includes(name));

// A tab that is left alone for minutes, beside all else.
const left = wanted.length === 0 ? idle(await visitor(admin), open) : undefined;
const pages = [];
for (const [name, look] of looks) {
  process.stderr.write(`${name}\n`);
  pages.push(await measured(name, look));
}
const lists = await visitor(admin);
const scrolling = await scrolled(lists.page, open);
const acts = await bulk(lists.page, open);
await lists.context.close();
const isKept = summary({ pages, scrolling, acts, asked: await left });
pageTable(pages);
await browser.close();
process.exitCode = isKept ? 0 : 1;

// Times and counts on much data, as two tables: `tests/console/large` starts it.
import { Worker } from "node:worker_threads";
import { chromium } from "playwright-core";

const server = process.env.FLAGSTONE_URL;
const rounds = Number(process.argv[2] ?? 7);
const wide = { width: 1280, height: 900 };

// Two cores that have other things to do.
const busy = [1, 2].map(() => new Worker("for (;;);", { eval: true }));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--disable-gpu", "--no-first-run", ...(process.getuid() === 0 ? ["--no-sandbox"] : [])],
});

const login = await fetch(`${server}/auth/simple/login`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ username: "admin", password: process.env.PASSWORD }),
});
if (!login.ok) throw new Error(`signing in: ${login.status} ${await login.text()}`);
const [name, value] = login.headers.getSetCookie()[0].split(";")[0].split("=");

/** A browser that has never been here. */
async function visit(path) {
  const context = await browser.newContext({ viewport: wide, reducedMotion: "reduce" });
  await context.addCookies([{ name, value, url: server }]);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  // Looks at every frame, as a person would: what is in the page but not painted yet does not count.
  await page.addInitScript(() => {
    window.firstRows = new Promise((resolve) => {
      const look = () =>
        document.querySelector("tbody tr[data-index] td:nth-child(2)")
          ? resolve(performance.now())
          : requestAnimationFrame(look);
      requestAnimationFrame(look);
    });
    window.changed = (act) =>
      new Promise((resolve) => {
        const foot = () => document.querySelector("main [role=status]")?.textContent;
        const before = foot();
        const began = performance.now();
        const look = () =>
          foot() !== before && !document.querySelector("[data-dimmed], [aria-busy=true]")
            ? resolve(performance.now() - began)
            : requestAnimationFrame(look);
        act();
        requestAnimationFrame(look);
      });
  });
  await page.goto(`${server}/console${path}`);
  return { page, close: () => context.close() };
}

const press = (page, label) =>
  page.evaluate(
    (label) =>
      window.changed(() => [...document.querySelectorAll("button")].find((one) => one.textContent === label).click()),
    label,
  );

/** From the last letter on. */
const type = (page, text) =>
  page.evaluate(
    (text) =>
      window.changed(() => {
        const field = document.querySelector("main [type=search]");
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, text);
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }),
    text,
  );

const times = {};
const note = (what, took) => (times[what] ??= []).push(took);
for (let round = 0; round <= rounds; round += 1) {
  const { page, close } = await visit("/features");
  const first = await page.evaluate(() => window.firstRows);
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
  const loaded = await page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .filter(({ name }) => name.includes("/console/"))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  );
  const [typed, next, chosen] = [
    await type(page, "checkout"),
    await press(page, "Next"),
    await page.evaluate(async () => {
      const field = [...document.querySelectorAll("main input")].find((one) => one.placeholder === "Stale or not");
      field.click();
      await new Promise((resolve) => setTimeout(resolve, 500));
      return window.changed(() =>
        [...document.querySelectorAll("[role=option]")].find((one) => one.textContent === "Stale").click(),
      );
    }),
  ];
  await close();
  // The first round warms the server.
  if (round === 0) continue;
  note("first rows, nothing cached, ms", first);
  note("a text, from its last letter, ms", typed);
  note("the next page, ms", next);
  note("a filter, ms", chosen);
  note("loaded before the first rows, kB", loaded / 1000);
}

const rounded = (value) => value.toFixed(0).padStart(6);
console.log(`| ${rounds} rounds, 50,000 flags | median | longest |\n|---|---:|---:|`);
for (const [what, values] of Object.entries(times)) {
  const sorted = values.toSorted((one, other) => one - other);
  console.log(`| ${what} | ${rounded(sorted[Math.floor(sorted.length / 2)])} | ${rounded(sorted.at(-1))} |`);
}

const lists = [
  "/features",
  "/projects",
  "/projects/team-001/features",
  "/projects/team-001/health",
  "/projects/team-001/archive",
  "/projects/team-001/history",
  "/history",
  "/insights",
  "/playground?project=*&environment=production&userId=1,2",
  "/build/tags",
  "/build/segments",
  "/tokens",
  "/people/users",
  "/people/access",
  "/applications",
];
console.log("\n| list | rows drawn | of | elements |\n|---|---:|---:|---:|");
for (const path of lists) {
  const { page, close } = await visit(path);
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]") && document.querySelector("h1"));
  const found = await page.evaluate(() => ({
    rows: document.querySelectorAll("tbody tr").length,
    of: Math.max(0, ...[...document.querySelectorAll("[aria-rowcount]")].map((one) => one.ariaRowCount - 1)),
    elements: document.querySelectorAll("*").length,
  }));
  console.log(`| ${path} | ${found.rows} | ${found.of} | ${found.elements} |`);
  await close();
}
await browser.close();
await Promise.all(busy.map((worker) => worker.terminate()));

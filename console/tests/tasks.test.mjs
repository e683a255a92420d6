// A day of thirty tasks, by mouse and by keyboard alone, at 1280 and 390 px, in both themes: each task from Home, with its
// steps counted. Of the eight ways, four are taken, so that each pair of hand, size and theme comes up; with OTHER_WAYS, the
// other four, whose steps must be the documented ones as well: a theme makes none.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ownServer } from "./own-server.mjs";

await ownServer();
const chromium = await import("./chromium.mjs");
const { ask, assertAtPeace, eventually, isPictured, keep, narrow, server, settled, visitor, wide } = chromium;
const { Keys, Mouse, named } = await import("./tasks/hands.mjs");
const { flags } = await import("./tasks/flags.mjs");
const { company } = await import("./tasks/company.mjs");
const { assertAsDocumented, renew, tableOf } = await import("./tasks/figures.mjs");

const isOther = Boolean(process.env.OTHER_WAYS);
const ways = [
  { key: "m1280", label: "Mouse, 1280 px", hand: "mouse", size: wide, schemes: ["light", "dark"] },
  { key: "m390", label: "Mouse, 390 px", hand: "mouse", size: narrow, schemes: ["dark", "light"] },
  { key: "k1280", label: "Keys, 1280 px", hand: "keyboard", size: wide, schemes: ["dark", "light"] },
  { key: "k390", label: "Keys, 390 px", hand: "keyboard", size: narrow, schemes: ["light", "dark"] },
].map(({ schemes: [usual, other], ...way }) => ({ ...way, scheme: isOther ? other : usual }));
const password = "Tests-Person-1";

const signIn = {
  task: "Sign in",
  from: "/sign-in",
  async prepare({ person }) {
    const body = { username: person, name: person, password, rootRole: 1, sendEmail: false };
    await ask("/api/admin/user-admin", { method: "POST", body });
  },
  async act({ page, hand, person }) {
    await hand.type(page.getByLabel("User name or email"), person);
    await hand.type(page.locator("input[type=password]"), password);
    await hand.submit(named(page, "button", "Sign in"));
  },
  async isDone({ page }) {
    await named(page, "region", "My flags").waitFor();
    return true;
  },
};

const tasks = [signIn, ...flags, ...company];
const done = new Map();

for (const { key, label, hand, size, scheme } of ways) {
  test(`${label}, ${scheme}`, async (t) => {
    const steps = new Map();
    done.set(key, steps);
    const seen = await visitor({ size, scheme });
    const { page, open } = seen;
    const title = `Shop ${key}`;
    const names = { id: `shop-${key}`, flag: `checkout-${key}`, segment: `Testers ${key}`, person: `ada-${key}` };
    const day = { ...names, test: t, asked: seen.asked, page, key, title, server };
    // A task that does not end must not take the others with it: none of them would be seen.
    const failed = [];
    for (const { task, from = "/", prepare, act, isDone } of tasks) {
      try {
        day.hand = new (hand === "mouse" ? Mouse : Keys)(page);
        await prepare?.(day);
        await open(from);
        const began = performance.now();
        await act(day);
        // What is asked for may not be there yet.
        await eventually(
          () => isDone(day).catch((failure) => failure.message),
          (is) => is === true,
        );
        steps.set(task, { steps: day.hand.steps, seconds: (performance.now() - began) / 1000 });
        await settled(page);
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wider <= 0, `${wider} px wider than the screen`);
        await assertAtPeace(seen);
      } catch (failure) {
        failed.push(`${task}, at ${page.url()}: ${failure.message}`);
        await keep(page, `failed ${label} ${task}`, true);
      }
      await keep(page, `task ${label} ${task}`);
    }
    assert.equal(failed.length, 0, failed.join("\n\n"));
  });
}

after(async () => {
  const table = tableOf(ways, tasks, done);
  console.log(table);
  const isWhole = ways.every(({ key }) => done.get(key)?.size === tasks.length);
  if (!isPictured || isOther) await assertAsDocumented(ways, table);
  else if (isWhole) await renew(table);
});

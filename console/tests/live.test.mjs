// What others do is seen within seconds, by whom, without asking much.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { admin, ask, assertAccessible, assertAtPeace, keep, visitor } from "./chromium.mjs";
import { freshFeature, id, person, project } from "./own-project.mjs";

const isPoll = (request) => request.url().endsWith("/api/admin/search/events?limit=1");
let name;

beforeEach(async () => {
  name = await freshFeature();
});

const turn = (state, feature = name) =>
  ask(`${project}/features/${feature}/environments/production/${state}`, { method: "POST" });
const polls = (asked) => asked.filter((url) => url.endsWith("/api/admin/search/events?limit=1")).length;

/** The first question, which tells where changes begin, was answered. From then on the clock of the page stands still. */
async function begun({ page, open }, path) {
  await page.clock.install();
  const answered = page.waitForResponse(isPoll);
  await open(path);
  await answered;
  await stop(page);
}

const stop = async (page) => page.clock.pauseAt((await page.evaluate(() => Date.now())) + 500);

/** Gives what waits until all that the page asked is answered, and was read. */
function answersOf(page) {
  const open = new Set();
  page.on("request", (request) => open.add(request));
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (request) => open.delete(request));
  return async () => {
    do {
      await page.evaluate(
        () =>
          new Promise((resolve) => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = resolve;
            port2.postMessage("later");
          }),
      );
    } while (open.size > 0);
  };
}

/** The page asks within four seconds of its clock, however slow the machine is. Then its clock goes on. */
async function asksSoon(page) {
  const asked = page.waitForRequest(isPoll);
  await page.clock.runFor(4_000);
  await asked;
  await page.clock.resume();
}

test("a switch by somebody else turns in the list, with who did it", async () => {
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await begun(seen, `/projects/${id}/features?query=${name}`);
  const control = page.getByRole("switch", { name: `${name} in production` });
  await control.waitFor();
  assert.equal(await control.isChecked(), false);
  await turn("on");
  await asksSoon(page);
  await page.getByText(/^changed by .+ just now$/).waitFor();
  await page.waitForFunction(
    (label) => document.querySelector(`[aria-label="${label}"]`).checked,
    `${name} in production`,
  );
  await assertAccessible(page, "a marked row");
  await keep(page, "changed by somebody else");
  await assertAtPeace(seen);
});

test("on the page of the flag it says what was done, and by whom", async () => {
  const seen = await visitor({ as: admin });
  const { page } = seen;
  await begun(seen, `/projects/${id}/features/${name}`);
  await turn("on");
  await asksSoon(page);
  const told = page.getByText(/ just now\.$/);
  // The names of environments may come later than the change.
  await told.filter({ hasText: new RegExp(`^.+ switched on ${name} in ▲\\sproduction`) }).waitFor();
  await page.getByRole("region", { name: "production, production" }).getByText("on", { exact: true }).waitFor();
  await assertAtPeace(seen);
});

test("what one did oneself is not marked, and what was typed stays", async () => {
  const ada = await person(`${name}-ada`, 1);
  const seen = await visitor({ as: ada });
  const { page } = seen;
  await begun(seen, `/projects/${id}/features/${name}/settings`);
  await page.getByLabel("Description").fill("half of a sen");
  await turn("on");
  await asksSoon(page);
  await page.getByText(/ just now\.$/).waitFor();
  assert.equal(await page.getByLabel("Description").inputValue(), "half of a sen");

  const other = await freshFeature();
  await begun(seen, `/projects/${id}/features/${other}`);
  await page.clock.resume();
  await page.getByRole("switch", { name: `${other} in development` }).press("Space");
  await page.getByText(`${other} is on in development.`).waitFor();
  const before = polls(seen.asked);
  while (polls(seen.asked) < before + 2) await page.waitForTimeout(200);
  assert.equal(await page.getByText(/ just now\.$/).count(), 0);
});

test("a freeze by somebody else is in the plan of freezes", async () => {
  const seen = await visitor({ as: admin });
  const { page } = seen;
  const reason = `${name} goes live`;
  await begun(seen, "/settings/freezes");
  const once = { from: "2031-12-24T00:00:00Z", to: "2031-12-27T00:00:00Z" };
  await ask("/api/admin/freeze-windows", { method: "POST", body: { once, reason } });
  await asksSoon(page);
  await page.getByRole("button", { name: reason, exact: true }).waitFor();
  await assertAtPeace(seen);
});

test("asks at most fifteen times a minute, and reads anew only what changed", async () => {
  const seen = await visitor({ as: admin });
  const { page, asked } = seen;
  const answered = answersOf(page);
  await begun(seen, `/projects/${id}/features?query=${name}`);
  await page.clock.resume();
  await page.getByRole("link", { name, exact: true }).waitFor();
  await page.waitForLoadState("networkidle");
  await stop(page);
  const elsewhere = `${name}-elsewhere`;
  await ask("/api/admin/projects", { method: "POST", body: { id: elsewhere, name: elsewhere } });
  await ask(`/api/admin/projects/${elsewhere}/features`, { method: "POST", body: { name: `${elsewhere}-f` } });
  const searches = () => asked.filter((url) => url.includes("/search/features?")).length;
  const before = { polls: polls(asked), searches: searches() };
  for (let second = 0; second < 12; second += 1) {
    await answered();
    await page.clock.runFor(1_000);
  }
  await answered();
  const told = polls(asked) - before.polls;
  assert.ok(told >= 2 && told <= 3, `${told} questions in 12 seconds`);
  assert.equal(searches(), before.searches, "the list of another project is as it was");
  await assertAtPeace(seen);
});

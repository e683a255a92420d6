// Four eyes: changes are collected in a draft, reviewed by somebody else, applied at once or at a time, and what stands in
// the way is told with what to do about it.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  admin,
  ask,
  assertAccessible,
  assertAtPeace,
  eventually,
  hasFocus,
  narrow,
  uncovered,
  visitor,
} from "./chromium.mjs";
import { freshFeature, id, person, project } from "./own-project.mjs";
import { dialog, Keys } from "./tasks/hands.mjs";

const pageOf = (feature) => `/projects/${id}/features/${feature}`;
const there = (feature, environment = "production") => `${project}/features/${feature}/environments/${environment}`;
const requests = `${project}/change-requests`;
const guard = (environment, changeRequestsEnabled, requiredApprovals = 1) =>
  ask(`${project}/environments/${environment}/change-requests/config`, {
    method: "PUT",
    body: { changeRequestsEnabled, requiredApprovals },
  });
const who = {};

before(async () => {
  who.author = await person(`${id}-author`, 2);
  who.reviewer = await person(`${id}-reviewer`, 3);
  who.viewer = await person(`${id}-viewer`, 3);
  const permissions = ["APPROVE_CHANGE_REQUEST", "APPLY_CHANGE_REQUEST"].map((name) => ({
    name,
    environment: "production",
  }));
  const body = { name: `Reviewers ${id}`, type: "custom", permissions };
  const { roles } = await ask("/api/admin/roles", { method: "POST", body });
  await ask(`${project}/access`, {
    method: "POST",
    body: { roles: [roles.id], groups: [], users: [who.reviewer.userId] },
  });
  await guard("production", true);
});

/** A flag that is off everywhere, with a rollout of a quarter in production. */
async function flagWithStrategy() {
  const feature = await freshFeature();
  const parameters = { rollout: "25", stickiness: "default", groupId: feature };
  const body = { name: "flexibleRollout", parameters };
  const strategy = await ask(`${there(feature)}/strategies`, { method: "POST", body });
  return { feature, strategy };
}

const isOn = async (feature) =>
  (await ask(`${project}/features/${feature}`)).environments.find(({ name }) => name === "production").enabled;
const latest = async () => (await ask(requests))[0];

/** What somebody drafted and sent to review, by the operations themselves in the browser of that person. */
async function inReview(seen, changes) {
  const { page, open } = seen;
  await open(`/projects/${id}`);
  return page.evaluate(
    async ([root, to, body]) => {
      const call = async (path, method, sent) => {
        const answer = await fetch(root + path, {
          method,
          headers: { "content-type": "application/json" },
          body: JSON.stringify(sent),
        });
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
        return text ? JSON.parse(text) : undefined;
      };
      const draft = await call(`${to}/environments/production/change-requests`, "POST", body);
      const review = { state: "In review" };
      if (draft.state === "Draft") await call(`${to}/change-requests/${draft.id}/state`, "PUT", review);
      return draft.id;
    },
    [new URL(page.url()).origin, project, changes],
  );
}

async function approve(seen, number) {
  const { page, open } = seen;
  await open(`/projects/${id}/change-requests/${number}`);
  await page.getByRole("button", { name: "Approve …" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByRole("group", { name: "What to do with it" }).getByRole("button", { name: "Apply now …" }).waitFor();
}

test("changes are collected by keys, sent to review, approved by somebody else, and applied", async () => {
  const { feature } = await flagWithStrategy();
  const seen = await visitor({ as: who.author });
  const { page, open } = seen;
  await open(pageOf(feature));
  await page.getByRole("switch", { name: `${feature} in production` }).press("Space");
  const question = page.getByRole("dialog", { name: "Switch on in production" });
  await question.getByText("Changes in production need approval").waitFor();
  assert.equal(await question.getByLabel("Why (kept in the event log)").count(), 0);
  await assertAccessible(page, "the question before something is drafted");
  await question.getByRole("button", { name: "Add to draft" }).press("Enter");
  await page.getByText("Added to your draft for production, 1 change.").waitFor();
  const banner = page.getByRole("status").filter({ hasText: "Your draft for" });
  await banner.getByText("1 change.").waitFor();
  assert.equal(await isOn(feature), false);

  await page.getByRole("button", { name: "50 %" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Add to draft" }).press("Enter");
  await banner.getByText("2 changes.").waitFor();
  await banner.getByRole("link", { name: "Open the draft" }).press("Enter");

  const changes = page.getByRole("region", { name: feature });
  await changes.getByText(/switches .* on in/).waitFor();
  await changes.getByText(/rollout 25 → 50 %/).waitFor();
  await assertAccessible(page, "a draft");
  await page.getByRole("button", { name: "Edit the title" }).press("Enter");
  await page.getByLabel("Title").fill("Launch of the basket");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Launch of the basket" }).waitFor();
  await page.getByRole("button", { name: "Send to review …" }).press("Enter");
  await page.getByRole("dialog").getByLabel("Comment").fill("please by Friday");
  await page.getByRole("dialog").getByRole("button", { name: "Send to review" }).press("Enter");
  const own = page.getByRole("button", { name: "Approve …" });
  await own.waitFor();
  assert.equal(await own.getAttribute("aria-disabled"), "true", "nobody approves their own");
  await page.getByText("please by Friday").waitFor();
  await assertAtPeace(seen);

  const { id: number } = await latest();
  const other = await visitor({ as: who.reviewer });
  await other.open("/change-requests?whose=all");
  await other.page.getByRole("link", { name: "Launch of the basket" }).first().click();
  await other.page
    .getByRole("region", { name: feature })
    .getByText(/rollout 25 → 50 %/)
    .waitFor();
  await approve(other, number);
  assert.equal(await isOn(feature), false);
  await other.page.getByRole("button", { name: "Apply now …" }).click();
  const applying = other.page.getByRole("dialog");
  await applying.getByRole("region", { name: "What applying does" }).getByText("switched on in production").waitFor();
  await assertAccessible(other.page, "the question before a change request is applied");
  await applying.getByRole("button", { name: "Apply now" }).click();
  await eventually(() => isOn(feature), Boolean);
  const [strategy] = await ask(`${there(feature)}/strategies`);
  assert.equal(strategy.parameters.rollout, "50");
  await other.page.getByText("It was applied").waitFor();
  await other.open(`/projects/${id}/change-requests?state=closed`);
  await other.page.getByRole("row").filter({ hasText: "Launch of the basket" }).getByText("Applied").waitFor();
  await assertAccessible(other.page, "change requests that are over");
  await assertAtPeace(other);
});

test("who may change nothing may ask for it, in lists and for many at once", async () => {
  const { feature } = await flagWithStrategy();
  const seen = await visitor({ as: who.viewer });
  const { page, open } = seen;
  await open(`/projects/${id}/features?query=${feature}`);
  const development = page.getByRole("switch", { name: `${feature} in development` });
  assert.equal(await development.getAttribute("aria-disabled"), "true");
  await page.getByRole("switch", { name: `${feature} in production` }).press("Space");
  await page.getByRole("dialog").getByRole("button", { name: "Add to draft" }).click();
  await page.getByText("Added to your draft for production, 1 change.").waitFor();

  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Change them …" }).click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  const preview = page.getByRole("dialog");
  await preview.getByText("This needs approval").waitFor();
  await preview.getByRole("button", { name: "Add to draft" }).click();
  await page.getByText("Added to your draft for production, 2 changes.").waitFor();
  assert.equal((await ask(`${project}/features/${feature}`)).archived, false);
  await page.getByRole("button", { name: "Open the draft" }).click();
  await page.getByText(/archives/).waitFor();
  await page.getByRole("button", { name: "Discard", exact: true }).first().click();
  await page.getByText("The change is discarded.").waitFor();
  // Of the last one, the draft as a whole is discarded.
  await page
    .locator("button[aria-disabled=true]")
    .filter({ hasText: /^Discard$/ })
    .waitFor();
  await page.getByRole("button", { name: "Discard the draft …" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard it" }).click();
  await page.getByText("The draft is discarded.").waitFor();
  await assertAtPeace(seen);
});

test("is scheduled for a time in the zone of the reader, never in the past, and rejected before", async () => {
  const { feature } = await flagWithStrategy();
  const author = await visitor({ as: who.author });
  const number = await inReview(author, [{ feature, action: "updateEnabled", payload: { enabled: true } }]);
  const seen = await visitor({ as: who.reviewer });
  const { page } = seen;
  await approve(seen, number);
  await page.getByRole("button", { name: "Schedule …" }).click();
  const dialog = page.getByRole("dialog");
  const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const when = dialog.getByLabel(`When, in the time zone ${zone}`);
  await when.fill("2020-01-31T10:00");
  await dialog.getByText("This is in the past.").waitFor();
  assert.ok(await dialog.getByRole("button", { name: "Schedule", exact: true }).isDisabled());
  await when.fill("2031-02-01T10:00");
  await dialog.getByText(/in UTC/).waitFor();
  await assertAccessible(page, "a time for a change request");
  await dialog.getByRole("button", { name: "Schedule", exact: true }).click();
  const stored = () => ask(`${requests}/${number}`);
  await eventually(stored, ({ state, schedule }) => state === "Scheduled" && schedule.status === "pending");
  await page.getByRole("button", { name: "Schedule anew …" }).click();
  await when.fill("2031-03-01T10:00");
  await dialog.getByRole("button", { name: "Schedule", exact: true }).click();
  await eventually(
    stored,
    ({ schedule }) => schedule.scheduledAt.startsWith("2031-03-01") || schedule.scheduledAt.startsWith("2031-02-28"),
  );
  await page.getByText("2031-03-01 10:00:00").first().waitFor();
  await page.getByRole("button", { name: "Reject …" }).click();
  await dialog.getByLabel("Comment").fill("not this year");
  await dialog.getByRole("button", { name: "Reject", exact: true }).click();
  await page.getByText("rejected it").waitFor();
  await page.getByText("not this year").waitFor();
  assert.equal((await stored()).state, "Rejected");
  await assertAtPeace(seen);
});

test("says what somebody else changed since, and what can no longer be applied", async () => {
  const { feature, strategy } = await flagWithStrategy();
  const author = await visitor({ as: who.author });
  const { page, open } = author;
  const parameters = { ...strategy.parameters, rollout: "75" };
  const payload = { id: strategy.id, name: "flexibleRollout", parameters };
  const number = await inReview(author, [
    { feature, action: "updateStrategy", payload },
    { feature, action: "updateEnabled", payload: { enabled: true } },
  ]);
  await ask(`${there(feature)}/strategies/${strategy.id}`, {
    method: "PUT",
    body: { name: "flexibleRollout", title: "Theirs", parameters: { ...strategy.parameters, rollout: "30" } },
  });
  await open(`/projects/${id}/change-requests/${number}`);
  await page.getByText(/Somebody else changed 2 properties of it since \(title, parameters\)/).waitFor();
  await ask(`${there(feature)}/strategies/${strategy.id}`, { method: "DELETE" });
  await page.getByText("It cannot be applied as things are").waitFor();
  await assertAccessible(page, "a change request with a conflict");
  await page.getByRole("button", { name: "Discard", exact: true }).first().click();
  await eventually(
    () => ask(`${requests}/${number}`),
    ({ features }) => features[0].changes.length === 1,
  );
  await page.getByText("It cannot be applied as things are").waitFor({ state: "detached" });
  await page.getByText("JSON", { exact: true }).click();
  await page
    .getByRole("region", { name: "The changes as JSON" })
    .getByText(/"updateEnabled"/)
    .waitFor();
});

test("environments that need approval are chosen in the settings of the project", async () => {
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open(`/projects/${id}/settings`);
  const settings = page.getByRole("region", { name: "Change requests" });
  const config = async () => (await ask(`${requests}/config`)).find(({ environment }) => environment === "development");
  await settings.getByRole("switch", { name: "development" }).press("Space");
  await eventually(config, ({ requiredApprovals }) => requiredApprovals === 1);
  await settings.getByRole("combobox", { name: "Approvals needed in development" }).click();
  await page.getByRole("option", { name: "3", exact: true }).click();
  await eventually(config, ({ requiredApprovals }) => requiredApprovals === 3);
  await assertAccessible(page, "settings of change requests");
  await settings.getByRole("switch", { name: "development" }).press("Space");
  await eventually(config, ({ changeRequestEnabled }) => !changeRequestEnabled);
  await settings.getByRole("switch", { name: "production" }).press("Space");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  assert.ok((await ask(`${requests}/config`)).some(({ changeRequestEnabled }) => changeRequestEnabled));
  await assertAtPeace(seen);
});

test("by keyboard alone: drafted, reviewed, approved, scheduled and applied", async () => {
  const { feature } = await flagWithStrategy();
  const author = await visitor({ as: await person(`${id}-keys`, 2) });
  const { page } = author;
  const hand = new Keys(page);
  await author.open(pageOf(feature));
  await hand.check(page.getByRole("switch", { name: `${feature} in production` }));
  await hasFocus(page);
  await hand.press(dialog(page).getByRole("button", { name: "Add to draft" }));
  await page.getByText("Added to your draft for production, 1 change.").first().waitFor();
  await uncovered(page);
  await hand.press(page.getByRole("link", { name: "Open the draft" }));
  await page.getByRole("button", { name: "Send to review …" }).waitFor();
  await hand.press(page.getByRole("button", { name: "Edit the title" }));
  const title = `Keys ${feature}`;
  await hand.type(page.getByLabel("Title"), title, { enter: true });
  await page.getByRole("heading", { name: title }).waitFor();
  await hand.press(page.getByRole("button", { name: "Send to review …" }));
  await hasFocus(page);
  await hand.press(dialog(page).getByRole("button", { name: "Send to review" }));
  await page.getByRole("button", { name: "Approve …" }).waitFor();
  await uncovered(page);
  await hand.press(page.getByRole("button", { name: "Ask for approval …" }));
  await hand.choose(page.getByRole("combobox", { name: "Whom to ask" }), who.reviewer.username);
  await hand.press(page.getByRole("button", { name: "Ask them" }));
  await page.getByText("They are asked for their approval.").waitFor();

  const seen = await visitor({ as: who.reviewer });
  const other = new Keys(seen.page);
  await seen.open("/");
  const areas = seen.page.getByRole("navigation", { name: "Areas" });
  await areas.getByRole("link", { name: "Change requests 1 waiting for you" }).waitFor();
  for (const key of ["g", "r"]) await other.key(key);
  await seen.page.getByRole("heading", { name: "Change requests" }).waitFor();
  const row = seen.page.getByRole("row").filter({ hasText: title });
  await row.waitFor();
  await assertAccessible(seen.page, "change requests that somebody is asked about");
  await other.reach(seen.page.getByRole("radio", { name: "Asked of me" }));
  await other.key("ArrowRight");
  await other.press(row.getByRole("link", { name: title }));
  await seen.page.getByRole("heading", { name: title }).waitFor();
  const toDo = seen.page.getByRole("group", { name: "What to do with it" });
  const decide = async (button, action) => {
    await other.press(toDo.getByRole("button", { name: button }));
    await hasFocus(seen.page);
    await other.press(dialog(seen.page).getByRole("button", { name: action, exact: true }));
    await uncovered(seen.page);
  };
  await decide("Approve …", "Approve");
  await toDo.getByRole("button", { name: "Apply now …" }).waitFor();
  await decide("Schedule …", "Schedule");
  const { id: number } = await latest();
  await eventually(
    () => ask(`${requests}/${number}`),
    ({ state }) => state === "Scheduled",
  );
  assert.equal(await isOn(feature), false);
  await toDo.getByRole("button", { name: "Schedule anew …" }).waitFor();
  await decide("Apply now …", "Apply now");
  await eventually(() => isOn(feature), Boolean);
  await seen.page.getByText("It was applied").waitFor();
  await other.press(seen.page.getByRole("button", { name: "Show the proof" }));
  await seen.page.getByText("Proved: what was applied is what was approved.").waitFor();
  await assertAccessible(seen.page, "a change request that was applied, with its proof");
  await assertAtPeace(seen);
  await assertAtPeace(author);
});

test("the author edits what a draft holds in the form of the change itself", async () => {
  const { feature, strategy } = await flagWithStrategy();
  const author = await visitor({ as: await person(`${id}-edits`, 2) });
  const { page, open } = author;
  const parameters = { ...strategy.parameters, rollout: "60" };
  const number = await inReview(author, [
    { feature, action: "updateStrategy", payload: { id: strategy.id, name: "flexibleRollout", parameters } },
    { feature, action: "updateEnabled", payload: { enabled: true } },
  ]);
  const reviewer = await visitor({ as: who.reviewer });
  await approve(reviewer, number);
  await open(`/projects/${id}/change-requests/${number}`);
  const changes = page.getByRole("region", { name: feature });
  const lines = changes.getByRole("listitem");
  await lines
    .filter({ hasText: "rollout 25 → 60 %" })
    .getByRole("button", { name: "Edit", exact: true })
    .press("Enter");
  const form = page.getByRole("dialog", { name: "Strategy in production" });
  await form.getByText("the approvals that it has are dropped").waitFor();
  const save = form.getByRole("button", { name: "Save" });
  assert.equal(await save.getAttribute("aria-disabled"), "true", "nothing is changed yet");
  await form.getByRole("textbox", { name: "Share of users" }).fill("70");
  await assertAccessible(page, "a change of a change request in its form");
  await save.press("Enter");
  await changes.getByText(/rollout 25 → 70 %/).waitFor();
  const stored = await ask(`${requests}/${number}`);
  assert.equal(stored.state, "In review");
  assert.deepEqual(stored.approvals, []);
  assert.equal(stored.features[0].changes[0].payload.parameters.rollout, "70");
  assert.equal(stored.features[0].changes[0].payload.snapshot.parameters.rollout, "25");

  await lines.filter({ hasText: "switches" }).getByRole("button", { name: "Edit", exact: true }).press("Enter");
  const ways = page.getByRole("dialog", { name: `${feature} in production` });
  await ways.getByRole("radio", { name: "Switch off" }).press("Space");
  await ways.getByRole("button", { name: "Save" }).press("Enter");
  await changes.getByText(/switches .* off in/).waitFor();
  await reviewer.open(`/projects/${id}/change-requests/${number}`);
  await reviewer.page
    .getByText(/rollout 25 → 70 %/)
    .first()
    .waitFor();
  assert.equal(await reviewer.page.getByRole("button", { name: "Edit", exact: true }).count(), 0);
  await assertAtPeace(author);
});

test("groups that must approve are chosen in the settings, and told on the change request", async () => {
  const people = [{ user: { id: who.reviewer.userId } }];
  const group = (name, users) => ask("/api/admin/groups", { method: "POST", body: { name: `${id}-${name}`, users } });
  const [owners, others] = [await group("owners", people), await group("others", [])];
  const settings = await visitor({ as: admin });
  const { page } = settings;
  await settings.open(`/projects/${id}/settings`);
  const form = page.getByRole("form", { name: "Required reviewers in production" });
  await form.getByText("No rule: the number of approvals decides alone.").waitFor();
  await form.getByRole("button", { name: "Add rule" }).press("Enter");
  const rule = form.getByRole("group", { name: "Rule 1", exact: true });
  const save = form.getByRole("button", { name: "Save" });
  assert.equal(await save.getAttribute("aria-disabled"), "true");
  await rule.getByRole("combobox", { name: "About" }).click();
  await page.getByRole("option", { name: "Flags by name" }).click();
  await rule.getByLabel("Pattern of names").fill("(");
  await rule.getByText("This is no regular expression.").waitFor();
  const { feature } = await flagWithStrategy();
  await rule.getByLabel("Pattern of names").fill(feature);
  for (const name of ["owners", "others"]) {
    await rule.getByRole("combobox", { name: "Groups" }).fill(`${id}-${name}`);
    await page.getByRole("option", { name: `${id}-${name}` }).click();
  }
  await rule.getByRole("radio", { name: "Each of the groups" }).press("Space");
  await assertAccessible(page, "required reviewers");
  await save.click();
  const path = `${project}/environments/production/change-requests/reviewers`;
  await eventually(
    () => ask(path),
    ({ rules }) => rules.length === 1,
  );
  const stored = (await ask(path)).rules[0];
  assert.deepEqual(stored, {
    namePattern: feature,
    need: "each",
    groups: [owners.id, others.id].sort((one, other) => one - other),
  });

  const author = await visitor({ as: who.author });
  const number = await inReview(author, [{ feature, action: "updateEnabled", payload: { enabled: true } }]);
  const seen = await visitor({ as: who.reviewer });
  await seen.open(`/projects/${id}/change-requests/${number}`);
  const required = seen.page.getByRole("group", { name: "Required reviewers" });
  await required.getByText(`each of ${id}-`).waitFor();
  await seen.page.getByRole("button", { name: "Approve …" }).click();
  await seen.page.getByRole("dialog").getByRole("button", { name: "Approve", exact: true }).click();
  await required.getByText(`${id}-others (owners of flags whose names match ${feature})`, { exact: true }).waitFor();
  await required.getByText("It has enough approvals, and waits for that of required reviewers.").waitFor();
  assert.equal((await ask(`${requests}/${number}`)).state, "In review");
  await assertAccessible(seen.page, "a change request that waits for a required reviewer");

  await rule.getByRole("button", { name: "Remove rule 1" }).click();
  await form.getByRole("button", { name: "Save" }).click();
  await eventually(
    () => ask(path),
    ({ rules }) => rules.length === 0,
  );
  await assertAtPeace(seen);
  await assertAtPeace(settings);
});

test("before production is changed at once, who would notice is told, and nobody waits for it", async () => {
  const { feature } = await flagWithStrategy();
  await guard("production", false);
  try {
    const seen = await visitor({ as: admin });
    const { page, open } = seen;
    await open(pageOf(feature));
    const toggle = page.getByRole("switch", { name: `${feature} in production` });
    await toggle.press("Space");
    const question = page.getByRole("dialog", { name: "Switch on in production" });
    const impact = question.getByRole("region", { name: "Impact" });
    await impact.getByText(/ gain it/).waitFor();
    await assertAccessible(page, "the question before production is changed");
    await question.getByRole("button", { name: "Cancel" }).click();

    // An answer that never comes, and one that is refused.
    let held;
    await page.route("**/change-requests/impact", (route) => (held = route));
    await toggle.press("Space");
    await question.getByText("Looking for who would notice").waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();
    await held.abort();
    await page.route("**/change-requests/impact", (route) => route.fulfill({ status: 403, json: {} }));
    await toggle.press("Space");
    await question.getByRole("button", { name: "Switch on in production" }).waitFor();
    await impact.waitFor({ state: "detached" });
    await question.getByRole("button", { name: "Switch on in production" }).click();
    await eventually(() => isOn(feature), Boolean);
  } finally {
    await guard("production", true);
  }
});

test("the palette and the event log draft, too, for who may change nothing", async () => {
  const { feature } = await flagWithStrategy();
  await ask(`${there(feature)}/on`, { method: "POST" });
  const seen = await visitor({ as: await person(`${id}-elsewhere`, 3) });
  const { page, open } = seen;
  await open("/insights");
  await page.keyboard.press("Control+k");
  await page.getByRole("textbox", { name: "Go to" }).fill(`disable ${feature} in prod`);
  const order = page.getByRole("button", { name: `Disable ${feature} in production` });
  await page.waitForFunction((element) => !element.disabled, await order.elementHandle());
  await order.click();
  await page.getByRole("dialog").getByRole("button", { name: "Add to draft" }).click();
  await page.getByText("Added to your draft for production, 1 change.").waitFor();

  const { events } = await ask(`/api/admin/search/events?feature=IS:${feature}&type=IS:feature-strategy-add`);
  await open(`/history?feature=IS:${feature}&event=${events[0].id}`);
  await page.getByRole("dialog").getByRole("button", { name: "Put it back …" }).click();
  await page.getByRole("dialog", { name: "Put it back" }).getByRole("button", { name: "Add to draft" }).click();
  await page.getByText("Added to your draft for production, 2 changes.").waitFor();
  const [draft] = await page.evaluate(
    async (address) => (await fetch(address)).json(),
    `${new URL(page.url()).origin}${requests}/pending`,
  );
  assert.deepEqual(
    draft.features[0].changes.map(({ action }) => action),
    ["updateEnabled", "deleteStrategy"],
  );
  assert.equal(await isOn(feature), true);
  await assertAtPeace(seen);
});

test("what no change request can hold says so before it is tried", async () => {
  const { feature } = await flagWithStrategy();
  const owner = await person(`${id}-owner`, 2);
  await ask(`${project}/access`, { method: "POST", body: { roles: [4], groups: [], users: [owner.userId] } });
  const seen = await visitor({ as: owner });
  const { page, open } = seen;
  await open(pageOf(feature));
  await page.getByRole("button", { name: "More actions" }).click();
  for (const name of ["Clone …", "Move to another project …"]) {
    const item = page.getByRole("menuitem", { name });
    await item.getByText("no change request can hold this one").waitFor();
    assert.equal(await item.getAttribute("aria-disabled"), "true");
  }
  await page.keyboard.press("Escape");
  await open(`/projects/${id}/environments`);
  const row = page.getByRole("row").filter({ hasText: "production" });
  for (const name of ["Take away …", "Change"]) {
    const button = row.getByRole("button", { name });
    await page.waitForFunction((element) => element.ariaDisabled === "true", await button.elementHandle());
  }
  await assertAtPeace(seen);
});

for (const scheme of ["light", "dark"]) {
  test(`pages fit a phone, ${scheme}`, async () => {
    const { feature, strategy } = await flagWithStrategy();
    const author = await visitor({ as: who.author });
    const payload = { id: strategy.id, name: "flexibleRollout", parameters: { ...strategy.parameters, rollout: "60" } };
    const number = await inReview(author, [{ feature, action: "updateStrategy", payload }]);
    const seen = await visitor({ as: who.reviewer, size: narrow, scheme });
    const { page, open } = seen;
    for (const path of [
      `/projects/${id}/change-requests`,
      `/projects/${id}/change-requests/${number}`,
      "/change-requests?whose=all",
      pageOf(feature),
    ]) {
      await open(path);
      await page.getByText(`#${number}`).first().waitFor();
      const wider = await page.evaluate(
        () =>
          [document.documentElement, document.querySelector("main")].filter(
            (one) => one.scrollWidth > one.clientWidth + 1,
          ).length,
      );
      assert.equal(wider, 0, `${path} scrolls sideways`);
      await assertAccessible(page, path);
    }
    await assertAtPeace(seen);
  });
}

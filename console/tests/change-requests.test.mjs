// Four eyes: changes are collected in a draft, reviewed by somebody else, applied at once or at a time, and what stands in
// the way is told with what to do about it.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { admin, ask, assertAccessible, assertAtPeace, eventually, narrow, visitor } from "./chromium.mjs";
import { freshFeature, id, person, project } from "./own-project.mjs";

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
  await page
    .getByText("It is the only change")
    .first()
    .waitFor({ state: "attached" })
    .catch(() => undefined);
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

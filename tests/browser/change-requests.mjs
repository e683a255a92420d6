// The way of change requests through a console of the reference, which shows them where the server lets it.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { keep } from "./chromium.mjs";
import { address, arrive, ask, becomes, close, enter, insist, open } from "./console.mjs";

const password = "Tests-Person-1";
const production = "production";

// Makes tests of `console`, a name for the reports, in `project`. `known` is what its pages may be refused, and `asksFor` whether
// reviewers are chosen before the review.
export function goThroughChangeRequests({ console, project, known, asksFor }) {
  const of = `/api/admin/projects/${project}`;
  const requests = `${of}/change-requests`;
  const crane = `crane-of-${project}`;
  const feature = `/projects/${project}/features/${crane}`;
  const people = {};
  const made = {};

  before(async () => {
    const post = (path, body) => ask(path, { method: "POST", body });
    await post("/api/admin/projects", { id: project, name: project });
    await post(`${of}/features`, { name: crane, type: "release" });
    const parameters = { rollout: "10", stickiness: "default", groupId: crane };
    const strategy = { name: "flexibleRollout", title: "For one ship", parameters, constraints: [] };
    made.strategy = await post(`${of}/features/${crane}/environments/${production}/strategies`, strategy);
    for (const who of ["author", "reviewer"]) {
      const account = { username: `${who}-of-${project}`, name: `The ${who}`, password, rootRole: 2 };
      people[who] = await post("/api/admin/user-admin", account);
      people[who].context = await enter(account.username, password);
    }
    const permissions = ["APPROVE_CHANGE_REQUEST", "APPLY_CHANGE_REQUEST"].map((name) => ({ name, environment: production }));
    const role = { name: `Harbour master of ${project}`, description: "May approve", type: "custom", permissions };
    const { roles } = await post("/api/admin/roles", role);
    await post(`${of}/access`, { roles: [roles.id], groups: [], users: [people.reviewer.id] });
  });

  // A page as that person sees it.
  const show = (who, path, says) => open(path, says, { from: people[who].context, known });
  const button = (page, text) => page.locator("button").filter({ hasText: text, visible: true }).first();
  const choice = (page, text) => page.getByRole("menuitem").filter({ hasText: text, visible: true });

  // What the server holds.
  const inProduction = async () => {
    const { environments } = await ask(`${of}/features/${crane}`);
    const { enabled, strategies } = environments.find(({ name }) => name === production);
    return { enabled, titles: strategies.map(({ title }) => title) };
  };
  // A draft is shown to its author alone.
  const asAuthor = async (path) => (await people.author.context.request.get(address + path)).json();
  const state = async (id) => (await asAuthor(`${requests}/${id}`)).state;
  const pending = () => asAuthor(`${requests}/pending`);

  // Switches the feature, which becomes a change of a draft.
  async function suggestSwitch(page) {
    await page.getByTestId(`TOGGLE-${crane}-${production}`).locator("input").click();
    await page.getByRole("button", { name: "Add suggestion to draft", exact: true }).click();
    await page.getByText("View changes (1)").waitFor();
  }

  // Opens the draft, and sends it to review. Returns its id.
  async function sendToReview(page, { comment, reviewer } = {}) {
    const [{ id }] = await pending();
    await button(page, "View changes").click();
    await page.getByText("Make sure you are sending the right changes to be reviewed").waitFor();
    assert.equal(await page.getByText("Heads up!").count(), 0, "nobody else has changed anything");
    if (comment) await page.getByPlaceholder("Add your comment here").fill(comment);
    if (reviewer) {
      await page.getByRole("combobox", { name: /^Reviewers/ }).click();
      await page.getByRole("option", { name: reviewer }).click();
      await page.keyboard.press("Escape");
    }
    await keep(page, `${console} draft`);
    await button(page, "Submit change request").click();
    await becomes(() => state(id), "In review");
    return id;
  }

  // Opens a change request that is in review, and judges it.
  async function review(id, verdict) {
    const page = await show("reviewer", `/projects/${project}/change-requests/${id}`, "Requested Changes");
    assert.equal(await page.getByText("Heads up!").count(), 0, "nobody else has changed anything");
    await button(page, "Review changes").click();
    await choice(page, verdict).click();
    return page;
  }

  async function approve(id) {
    const page = await review(id, "Approve");
    await becomes(() => state(id), "Approved");
    await page.getByText("Changes are ready to be applied").waitFor();
    return page;
  }

  test(`${console} switches change requests on for an environment`, async () => {
    const page = await open(`/projects/${project}/settings/change-requests`, production, { known });
    await page.getByRole("row").filter({ hasText: production }).locator("input[type=checkbox]").click();
    await page.getByRole("button", { name: "Enable", exact: true }).click();
    const configured = async () => {
      const environments = await ask(`${requests}/config`);
      return environments.find(({ environment }) => environment === production);
    };
    const expected = { environment: production, type: production, changeRequestEnabled: true, requiredApprovals: 1 };
    await becomes(configured, expected);
    await page.getByText("1 approval", { exact: true }).waitFor();
    await keep(page, `${console} settings`);
    await close(page);
  });

  test(`${console} collects a switch and a change of a strategy in a draft`, async () => {
    const before = await inProduction();
    let page = await show("author", feature, production);
    await suggestSwitch(page);
    await close(page);
    const edit = `${feature}/strategies/edit?environmentId=${production}&strategyId=${made.strategy.id}`;
    page = await show("author", edit, "View changes (1)");
    await page.getByLabel("Strategy title").fill("For every ship");
    await page.getByTestId("STRATEGY_FORM_SUBMIT_ID").click();
    await page.getByText("View changes (2)").waitFor();
    await keep(page, `${console} banner`);
    await close(page);
    const [{ state, features }] = await pending();
    const [{ name, changes }] = features;
    assert.deepEqual({ state, name }, { state: "Draft", name: crane });
    const actions = changes.map(({ action, payload }) => [action, payload.enabled ?? payload.title]);
    assert.deepEqual(actions, [["updateEnabled", true], ["updateStrategy", "For every ship"]]);
    assert.deepEqual(await inProduction(), before);
  });

  test(`${console} sends the draft to review`, async () => {
    const page = await show("author", feature, "View changes (2)");
    const comment = "Before the ships come";
    made.request = await sendToReview(page, { comment, reviewer: asksFor && "The reviewer" });
    await page.getByText("that are in review").waitFor();
    await close(page);
    const { comments, createdBy } = await ask(`${requests}/${made.request}`);
    const { text, createdBy: by } = comments[0];
    assert.deepEqual([text, by.username, createdBy.id], [comment, `author-of-${project}`, people.author.id]);
    if (!asksFor) return;
    const { reviewers } = await ask(`${requests}/${made.request}/approvers`);
    assert.deepEqual(reviewers.map(({ id }) => id), [people.reviewer.id]);
  });

  test(`${console} shows the author that others must approve`, async () => {
    const page = await show("author", `/projects/${project}/change-requests/${made.request}`, "Review required");
    await page.getByText("You can not approve your own change request").waitFor();
    await page.getByText("Before the ships come").waitFor();
    await keep(page, `${console} author`);
    await close(page);
  });

  test(`${console} lets a second person find and approve it`, async () => {
    const list = await show("reviewer", `/projects/${project}/change-requests`, "Review required");
    const link = list.getByRole("link", { name: `Change request #${made.request}`, exact: true });
    await arrive(list, `/projects/${project}/change-requests/${made.request}`, () => link.click(), "Requested Changes");
    await keep(list, `${console} review`);
    await close(list);
    const page = await approve(made.request);
    await close(page);
    const { approvals } = await ask(`${requests}/${made.request}`);
    assert.deepEqual(approvals.map(({ createdBy }) => createdBy.username), [`reviewer-of-${project}`]);
  });

  test(`${console} shows in the playground what an approved change request would do`, async () => {
    const at = `/playground?changeRequest=${made.request}&projects=${project}&environments=${production}`;
    const page = await show("reviewer", at, /Unleash playground/);
    await button(page, /Try .*configuration/).click();
    await page.getByText(crane, { exact: true }).first().waitFor();
    await keep(page, `${console} preview`);
    await close(page);
  });

  test(`${console} schedules what is approved, and shows that it is applied`, async () => {
    const path = `/projects/${project}/change-requests/${made.request}`;
    const page = await show("reviewer", path, "Changes are ready to be applied");
    await button(page, "Apply or schedule changes").click();
    await choice(page, "Schedule changes").click();
    const dialog = page.getByRole("dialog").filter({ hasText: "Select the date and time" });
    await dialog.getByText(/Your browser's time zone is/).waitFor();
    const [due] = new Date(Date.now() + 86_400_000).toISOString().split(".");
    await dialog.locator("input[type=datetime-local]").fill(due);
    await dialog.getByRole("button", { name: "Schedule changes" }).click();
    await page.getByText("Changes are scheduled to be applied on").waitFor();
    assert.deepEqual(await inProduction(), { enabled: false, titles: ["For one ship"] });
    await keep(page, `${console} scheduled`);
    const soon = { state: "Scheduled", scheduledAt: new Date(Date.now() + 1_000).toISOString() };
    const sooner = await people.reviewer.context.request.put(`${address}${requests}/${made.request}/state`, { data: soon });
    assert.equal(sooner.status(), 200, await sooner.text());
    await becomes(() => state(made.request), "Applied");
    await close(page);
    const after = await show("reviewer", path, "Changes applied");
    await keep(after, `${console} applied`);
    await close(after);
    assert.deepEqual(await inProduction(), { enabled: true, titles: ["For every ship"] });
    const { events } = await ask(`/api/admin/search/events?project=IS:${project}&limit=1000`);
    const about = events.reverse().filter(({ data, preData }) => (data ?? preData)?.changeRequestId === made.request);
    assert.deepEqual(
      about.map(({ type, label, createdBy }) => [label ?? type, createdBy.split("-")[0]]),
      [
        ["change-request-created", "author"],
        ["change-added", "author"],
        ["change-added", "author"],
        ["change-request-comment-added", "author"],
        ["change-request-sent-to-review", "author"],
        ...(asksFor ? [["change-request-requested-approvers-updated", "author"]] : []),
        ["change-request-approval-added", "reviewer"],
        ["change-request-approved", "reviewer"],
        ["change-request-scheduled", "reviewer"],
        ["change-request-scheduled", "reviewer"],
        ["change-request-scheduled-application-success", "reviewer"],
      ],
    );
    const effects = events.filter(({ environment, type }) => environment === production && /^feature-/.test(type)).slice(-2);
    assert.deepEqual(effects.map(({ type }) => type), ["feature-environment-enabled", "feature-strategy-update"]);
  });

  test(`${console} applies at once what is approved`, async () => {
    const page = await show("author", feature, production);
    await suggestSwitch(page);
    const id = await sendToReview(page);
    await close(page);
    const approved = await approve(id);
    await button(approved, "Apply or schedule changes").click();
    await choice(approved, "Apply changes").click();
    await becomes(() => state(id), "Applied");
    await approved.getByText("Changes applied").first().waitFor();
    await close(approved);
    assert.deepEqual(await inProduction(), { enabled: false, titles: ["For every ship"] });
  });

  test(`${console} rejects what is not wanted, which then changes nothing`, async () => {
    const page = await show("author", feature, production);
    await suggestSwitch(page);
    const id = await sendToReview(page);
    await close(page);
    const judged = await review(id, "Reject");
    const dialog = judged.getByRole("dialog").filter({ visible: true });
    await dialog.getByRole("textbox").first().fill("The harbour is closed");
    await dialog.getByRole("button", { name: "Reject changes" }).click();
    await becomes(() => state(id), "Rejected");
    await close(judged);
    const { comments } = await ask(`${requests}/${id}`);
    assert.deepEqual(comments.map(({ text }) => text), ["The harbour is closed"]);
    assert.equal((await inProduction()).enabled, false);
  });

  if (!asksFor) return;
  test(`${console} lists for all projects what somebody began, and what somebody is asked to approve`, async () => {
    for (const [who, tab] of [["author", "Created by me"], ["reviewer", "Approval Requested"]]) {
      const page = await show(who, "/change-requests", tab);
      const chooseTabs = async () => {
        await page.getByText(tab, { exact: true }).click();
        await page.getByText("Closed", { exact: true }).click();
      };
      await insist(chooseTabs, page.getByRole("link", { name: `Change request #${made.request}`, exact: true }));
      await close(page);
    }
  });
}

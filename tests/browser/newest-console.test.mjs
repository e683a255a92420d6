// The newest console of the reference: each page shows what it has from the server, and nothing that it asks is refused.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { keep } from "./chromium.mjs";
import { ask, becomes, close, open, serve, turn } from "./console.mjs";

await serve(process.env.NEWEST_CONSOLE);

// What it may be refused: nothing.
const known = [];
const project = "/projects/harbour";
const feature = `${project}/features/lighthouse`;
const of = `/api/admin${project}`;
// The features by the stage that they are in.
const stages = { initial: "lighthouse", "pre-live": "foghorn", live: "beacon", completed: "buoy", archived: "anchor" };

// What the tests find there, by the names that stand for its ids in paths.
const made = {};
let page;
before(async () => {
  const post = (path, body) => ask(path, { method: "POST", body });
  await post("/api/admin/projects", { id: "harbour", name: "Harbour" });
  for (const name of Object.values(stages)) {
    await post(`${of}/features`, { name, type: "release", description: `Of the ${name}` });
  }
  await post(`${of}/features/beacon/environments/production/on`);
  await post(`${of}/features/buoy/lifecycle/complete`, { status: "kept" });
  await ask(`${of}/features/anchor`, { method: "DELETE" });
  await use("foghorn", "development");
  await use("beacon", "production");
  const reached = () => Promise.all(["foghorn", "beacon"].map(async (name) => (await ask(`${of}/features/${name}`)).lifecycle.stage));
  await becomes(reached, ["pre-live", "live"]);
  made.segment = await post("/api/admin/segments", { name: "sailors", constraints: [] });
  made.group = await post("/api/admin/groups", { name: "pilots", description: "They come on board", users: [] });
  const strategy = { name: "at-high-tide", description: "When ships can leave", parameters: [] };
  await post("/api/admin/strategies", strategy);
  const parameters = { url: "http://127.0.0.1:9/nobody-listens" };
  const webhook = { provider: "webhook", enabled: true, description: "Tells the pilots", events: ["feature-created"] };
  made.integration = await post("/api/admin/addons", { ...webhook, parameters });
  page = await open("/projects", "Harbour", { known });
});

// A program says that it asked for a feature.
async function use(name, environment) {
  const now = new Date().toISOString();
  const bucket = { start: now, stop: now, toggles: { [name]: { yes: 1, no: 0 } } };
  await ask("/api/client/metrics", { method: "POST", body: { appName: "pilot-boat", instanceId: "one", environment, bucket } });
}

// With what a page shows of the server's answers, unless it asks for none.
const pages = [
  ["/", "Harbour"],
  ["/personal", /technical debt/i],
  ["/whats-new", "What's new"],
  [project, "lighthouse"],
  [`${project}/logs`, /feature-completed/],
  [`${project}/applications`, /Project applications/],
  [`${project}/settings/environments`, "production"],
  [`${project}/settings/context`, "No context fields available. Get started by adding one."],
  [`${project}/settings/segments`, "No segments yet!"],
  [`${project}/settings/release-templates`, "Get started with release templates"],
  [`${project}/settings/api-access`, /^No tokens available/],
  [`${project}/settings/default-strategy`, "development"],
  [feature, "development"],
  [`${feature}/metrics`, /yet to receive any metrics/],
  [`${project}/features/foghorn/metrics`, /pilot-boat/],
  [`${feature}/logs`, /feature-created/],
  [`${feature}/variants`, "Add variant"],
  [`${feature}/settings`, /Description: Of the lighthouse/],
  [`${feature}/copy`, "Copy lighthouse"],
  [`${feature}/edit`, "Of the lighthouse"],
  ["/search", "foghorn"],
  ["/playground", "Unleash playground"],
  ["/applications", "pilot-boat"],
  ["/applications/pilot-boat", "pilot-boat"],
  ["/context", "Id of the user"],
  ["/context/create", "Create context"],
  ["/context/clone/userId", "Clone userId"],
  ["/context/edit/userId", "Edit context"],
  ["/feature-toggle-type", "Brings a new feature to users step by step."],
  ["/feature-toggle-type/edit/release", "Edit flag type: Release"],
  ["/strategies", "at-high-tide"],
  ["/strategies/create", "Create strategy type"],
  ["/strategies/default", "On for everybody."],
  ["/strategies/at-high-tide/edit", "When ships can leave"],
  ["/environments/create", "Create environment"],
  ["/environments/development", "Edit environment"],
  ["/tag-types", "A word that groups features."],
  ["/tag-types/create", "Create tag type"],
  ["/tag-types/edit/simple", "A word that groups features."],
  ["/integrations", "Tells the pilots"],
  ["/integrations/create/webhook", /Where the request is sent to/],
  ["/integrations/edit/:integration", "Tells the pilots"],
  ["/integrations/view/jira", "How does it work?"],
  ["/segments", "sailors"],
  ["/segments/create", "Create segment"],
  ["/segments/edit/:segment", "Edit segment"],
  ["/history", /addon-config-created/],
  ["/unknown-flags", /^Unknown flags/],
  ["/profile", "default"],
  ["/profile/personal-api-tokens", /^You have no personal API tokens yet/],
  ["/profile/change-password", "Please set a strong password"],
  ["/admin", "Open source"],
  ["/admin/users", "admin"],
  ["/admin/users/1/access", "Root access"],
  ["/admin/users/1/edit", "Edit user"],
  ["/admin/create-user", "Create Unleash user"],
  ["/admin/invite-link", /invite link/],
  ["/admin/groups", "pilots"],
  ["/admin/groups/create-group", "Create group"],
  ["/admin/groups/:group", "They come on board"],
  ["/admin/groups/:group/edit", "They come on board"],
  ["/admin/api", /^API access \([1-9]/],
  ["/admin/api/create-token", "Create API token"],
  ["/admin/cors", "CORS origins"],
  ["/admin/maintenance", "Disabled"],
  ["/admin/instance", "Instance Statistics"],
  ["/admin/instance-privacy", "No data is collected"],
  ["/admin/network", "Data Usage"],
  ["/admin/enterprise-edge", "Which version is right for you?"],
];
for (const [path, says] of pages) {
  test(`the newest console's page ${path} shows what it is about`, async () => {
    await turn(page, path.replace(/:(\w+)/, (_, name) => made[name].id), says, { known });
    await keep(page, `newest-console${path.replace(/[^a-z0-9]+/gi, "-")}`);
  });
}

// Pages of its paid edition, which advertise that to servers of the open one.
const adverts = [
  `${project}/change-requests`,
  `${project}/settings`,
  `${project}/settings/access`,
  `${project}/settings/actions`,
  `${project}/settings/change-requests`,
  "/release-templates",
  "/integrations/signals",
  "/admin/auth",
  "/admin/banners",
  "/admin/logins",
  "/admin/remote-mcp",
  "/admin/roles",
  "/admin/service-accounts",
  "/admin/sessions",
  "/admin/users/inactive",
];
test("the newest console asks for nothing on the pages of its paid edition", async () => {
  for (const path of adverts) await turn(page, path, /^You need to upgrade your plan/, { known, advert: true });
});

// The names of the flags in the table.
const listed = async () => {
  const rows = await page.locator("main tbody tr").allInnerTexts();
  return Object.values(stages).filter((name) => rows.some((row) => row.split(/\s+/).includes(name)));
};
const tabs = [
  ["Develop", "pre-live"],
  ["Rollout production", "live"],
  ["Cleanup", "completed"],
  ["Archived", "archived"],
];
for (const path of [project, "/search"]) {
  test(`each tab of a stage on the newest console's ${path} lists the features that are in it`, async () => {
    // Opened anew: a list that is left can still lead back to its own tab, which has the same names.
    await close(page);
    page = await open(path, "Rollout production", { known });
    const inUse = Object.entries(stages).filter(([stage]) => stage !== "archived");
    await becomes(listed, inUse.map(([, name]) => name));
    for (const [label, stage] of tabs) {
      await page.getByText(label, { exact: true }).filter({ visible: true }).first().click();
      await becomes(listed, [stages[stage]]);
      await keep(page, `newest-console-tab-${stage}${path.replaceAll("/", "-")}`);
    }
  });
}

// The former page leads to the list above, which keeps to what is archived from then on.
test("the newest console's page /archive shows what it is about", async () => {
  await turn(page, "/archive", "anchor", { known });
  await close(page);
});

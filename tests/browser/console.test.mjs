// The unchanged console of the reference in front of the server, as the README says: its pages, signed in and before that.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ask as askServer, browser, keep } from "./chromium.mjs";

const { CONSOLE: directory, CONSOLE_URL: address, CONSOLE_SERVER: server, REPOSITORY: repository } = process.env;
const ask = (path, request) => askServer(path, { ...request, at: address });

// Whom it asks besides: for a font, symbols and pictures of people. Here they get nothing.
const others = ["fonts.googleapis.com", "fonts.gstatic.com", "gravatar.com"];

// What it asks and there is nothing, each with the reason. Everything else that is refused fails the test.
const refused = [
  [/^404 .*\/(projects|personal-dashboard)\/undefined(\/|$)/, "it asks before it knows which project"],
  [/^404 .*\/telemetry\/settings$/, "nobody is told anything about this server"],
];
const refusedToStrangers = [
  [/^401 GET .*\/api\/admin\/(user|ui-config)$/, "it asks who one is, and draws the form from the answer"],
  [/^401 GET .*\/auth\/reset\/validate\?token=nobody-made-this$/, "the answer by which it tells that a link is none"],
];

const script = spawn(process.execPath, [join(repository, "docs/console.mjs"), directory, server, new URL(address).port]);
script.stderr.pipe(process.stderr);
after(() => script.kill());

let context;
let stranger;
// Secrets that addresses hold.
const made = {};
before(async () => {
  await once(script.stdout, "data");
  await ask("/api/admin/projects", { method: "POST", body: { id: "bakery", name: "Bakery" } });
  for (const name of ["oven-timer", "sour-dough"]) {
    await ask("/api/admin/projects/bakery/features", { method: "POST", body: { name, type: "release" } });
  }
  await ask("/api/admin/projects/bakery/features/oven-timer/environments/development/on", { method: "POST" });
  await ask("/api/admin/projects/bakery/features", { method: "POST", body: { name: "stale-bread", type: "release" } });
  await ask("/api/admin/projects/bakery/features/stale-bread", { method: "DELETE" });
  await ask("/api/admin/segments", { method: "POST", body: { name: "bakers", constraints: [] } });
  const strategy = { name: "bakers-only", description: "For those who get up early", parameters: [] };
  await ask("/api/admin/strategies", { method: "POST", body: strategy });
  const webhook = { provider: "webhook", enabled: true, description: "Tells the bakers", events: ["feature-created"] };
  const parameters = { url: "http://127.0.0.1:9/nobody-listens" };
  await ask("/api/admin/addons", { method: "POST", body: { ...webhook, parameters } });
  const invited = { email: "grace@example.com", name: "Grace", rootRole: 3, sendEmail: false };
  const { inviteLink } = await ask("/api/admin/user-admin", { method: "POST", body: invited });
  made.token = new URL(inviteLink).searchParams.get("token");
  const signUp = { name: "New bakers", expiresAt: new Date(Date.now() + 86_400_000).toISOString() };
  made.invite = (await ask("/api/admin/invite-link/tokens", { method: "POST", body: signUp })).secret;
  await registerProgram();
  const size = { viewport: { width: 1500, height: 1000 } };
  stranger = await browser.newContext(size);
  context = await browser.newContext(size);
  const credentials = { username: "admin", password: "Tests-Admin-1" };
  const signedIn = await context.request.post(`${address}/auth/simple/login`, { data: credentials });
  assert.equal(signedIn.status(), 200);
});

async function registerProgram() {
  const headers = { authorization: process.env.FLAGSTONE_CLIENT_TOKEN, "content-type": "application/json" };
  const body = { appName: "oven", instanceId: "one", started: new Date().toISOString(), interval: 10, strategies: ["default"] };
  const answer = await fetch(`${address}/api/client/register`, { method: "POST", headers, body: JSON.stringify(body) });
  assert.equal(answer.status, 202, await answer.text());
}

// Opens a page and waits until it says what it should. Nothing may go wrong meanwhile.
async function open(path, says, { from = context, known: expected = refused, ends = true } = {}) {
  const page = await from.newPage();
  page.setDefaultTimeout(90_000);
  const complaints = [];
  await page.route((url) => others.includes(url.hostname), (route) => route.fulfill({ status: 200, body: "" }));
  page.on("request", (request) => {
    const { origin, hostname, protocol } = new URL(request.url());
    const known = origin === address || others.includes(hostname) || ["data:", "blob:"].includes(protocol);
    if (!known) complaints.push(`asked elsewhere: ${request.url()}`);
  });
  page.on("response", (response) => {
    const said = `${response.status()} ${response.request().method()} ${response.url()}`;
    if (response.status() >= 400 && !expected.some(([pattern]) => pattern.test(said))) complaints.push(said);
  });
  page.on("pageerror", (error) => complaints.push(error.stack));
  await page.goto(address + path);
  await page.getByText(says).filter({ visible: true }).first().waitFor();
  if (ends) await page.waitForLoadState("networkidle");
  const text = await page.locator("body").innerText();
  assert.doesNotMatch(text, /Something went wrong|Ooops|404 Not Found/, path);
  assert.deepEqual(complaints, [], path);
  return page;
}

const project = "/projects/bakery";
const feature = `${project}/features/oven-timer`;
const pages = [
  // The first time the introduction, later the project that one saw last.
  ["/", /Bakery|Default/],
  ["/personal", /Welcome/],
  ["/projects", "Bakery"],
  [project, "oven-timer"],
  [`${project}/health`, /Potential actions/],
  [`${project}/archived`, "stale-bread"],
  [`${project}/insights`, /Project activity|Health|Onboarding/],
  [`${project}/logs`, /oven-timer/],
  [`${project}/settings/environments`, "development"],
  [`${project}/settings/api-access`, /API access/i],
  [`${project}/settings/default-strategy`, "development"],
  [feature, "development"],
  [`${feature}/variants`, /variants/i],
  [`${feature}/metrics`, /metrics/i],
  [`${feature}/logs`, /feature-created/],
  [`${feature}/settings`, /settings/i],
  [`${feature}/edit`, /Description/],
  [`${feature}/copy`, /Copy/],
  [`${feature}/strategies/create?environmentId=development&strategyName=flexibleRollout`, /Gradual rollout/],
  ["/projects-archive", /archive/i],
  ["/search", "sour-dough"],
  ["/archive", /archive/i],
  ["/playground", /Unleash playground/],
  ["/applications", /Applications/],
  ["/applications/oven", /Everything looks good/],
  ["/applications/oven/instances", /Instances/],
  ["/context", "userId"],
  ["/context/create", /Context name/i],
  ["/context/edit/userId", "userId"],
  ["/environments", "production"],
  ["/environments/create", /environment/i],
  ["/environments/development", "development"],
  ["/feature-toggle-type", "Release"],
  ["/feature-toggle-type/edit/release", /lifetime/i],
  ["/segments", "bakers"],
  ["/segments/create", /segment/i],
  ["/segments/edit/1", /segment/i],
  ["/strategies", "Gradual rollout"],
  ["/strategies/create", /Strategy name/i],
  ["/strategies/default", "On for everybody."],
  ["/strategies/bakers-only/edit", /Strategy name/i],
  ["/tag-types", "simple"],
  ["/tag-types/create", /Tag name/i],
  ["/tag-types/edit/simple", "simple"],
  ["/integrations", /Integrations/],
  ["/integrations/create/webhook", /Webhook/],
  ["/integrations/edit/1", /Tells the bakers/],
  ["/integrations/view/jira", /Jira documentation/],
  ["/history", /feature-created/],
  ["/profile", "admin"],
  ["/profile/personal-api-tokens", /Personal API tokens/],
  ["/profile/change-password", /Change password/],
  ["/admin", /Manage Unleash/],
  ["/admin/users", "admin"],
  ["/admin/users/1/edit", "admin"],
  ["/admin/users/1/access", "Access for admin"],
  ["/admin/users/inactive", /inactive users/],
  ["/admin/groups", /groups/i],
  ["/admin/groups/create-group", /Create group/i],
  ["/admin/roles", /roles/i],
  ["/admin/api", /API access/],
  ["/admin/api/create-token", /Create API token/],
  ["/admin/cors", /CORS origins/],
  ["/admin/maintenance", /Maintenance/],
  ["/admin/instance", /Instance Statistics/i],
  ["/admin/instance-privacy", /Instance Privacy/i],
  ["/admin/logins", /Login history/],
  ["/admin/auth", /OpenID Connect|Single Sign-On|sign-on/i],
];
for (const [path, says] of pages) {
  test(`the console's page ${path} shows what it is about`, async () => {
    const page = await open(path, says);
    await keep(page, `console${path.replace(/[^a-z0-9]+/gi, "-")}`);
    await page.close();
  });
}

test("the console's page /splash/operators is shown, and remembered as seen", async () => {
  // It does not read the answer to that, so its requests never end.
  const page = await open("/splash/operators", /feature strategy constraint operators/, { ends: false });
  await page.waitForFunction(async () => (await (await fetch("/api/admin/user")).json()).splash.operators);
  await page.close();
});

const toStrangers = [
  ["/forgotten-password", () => "", /Please provide your email address/],
  ["/reset-password", () => `?token=${made.token}`, /Reset password/],
  ["/reset-password", () => "?token=nobody-made-this", /Invalid token/],
  ["/new-user", () => `?token=${made.token}`, /has invited you to join/],
  ["/new-user", () => `?invite=${made.invite}`, /Full name/],
];
for (const [path, search, says] of toStrangers) {
  test(`the console's page ${path} shows a stranger ${says}`, async () => {
    const page = await open(path + search(), says, { from: stranger, known: refusedToStrangers });
    await page.close();
  });
}

test("somebody signs in by the form that the console draws from the refusal", async () => {
  const page = await open("/login", "Sign in", { from: stranger, known: refusedToStrangers });
  await keep(page, "console-login");
  await page.getByLabel("Username or email").fill("admin");
  await page.getByLabel("Password", { exact: true }).fill("Tests-Admin-1");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Personal Dashboard").first().waitFor();
  assert.notEqual(new URL(page.url()).pathname, "/login");
  const me = await (await stranger.request.get(`${address}/api/admin/user`)).json();
  assert.equal(me.user.username, "admin");
  await page.close();
});

// Pages that it opens to servers of the paid edition alone: what they ask for is there. This server says that it is none as
// long as change requests, which the same word opens on every page of a project, are not.
const closed = [
  ["/admin/service-accounts", "Deployments of the bakery"],
  ["/admin/logins", "guessed-name"],
  ["/admin/banners", "The oven is hot"],
  ["/admin/groups", "bakers-of-bread"],
  ["/admin/roles", "Viewer"],
  [`${project}/settings/access`, "Deployments of the bakery"],
  ["/insights", /Total (users|flags)|Insights/i],
];
const ofOtherPages = [
  [/^404 .*\/license\/check$/, "there are no licences"],
  [/^404 .*\/scim-settings$/, "no provider keeps the list of people"],
  [/^404 .*\/change-requests\//, "there are no change requests"],
];
test("the console's pages of the paid edition find what they ask for", async () => {
  const account = { name: "Deployments of the bakery", username: "deployer", rootRole: 3 };
  const made = await ask("/api/admin/service-account", { method: "POST", body: account });
  await ask("/api/admin/groups", { method: "POST", body: { name: "bakers-of-bread", users: [{ user: { id: made.id } }] } });
  const access = { roles: [4], groups: [], users: [made.id] };
  await ask("/api/admin/projects/bakery/access", { method: "POST", body: access });
  await ask("/api/admin/banners", { method: "POST", body: { message: "The oven is hot", variant: "warning" } });
  const guess = { data: { username: "guessed-name", password: "Wrong-pass-1" } };
  assert.equal((await context.request.post(`${address}/auth/simple/login`, guess)).status(), 401);
  const told = (route) => async () => {
    const answer = await route.fetch();
    const config = await answer.json();
    config.versionInfo.current.enterprise = config.version;
    await route.fulfill({ response: answer, json: config });
  };
  await context.route("**/api/admin/ui-config", (route) => told(route)());
  refused.push(...ofOtherPages);
  try {
    for (const [path, says] of closed) {
      const page = await open(path, says);
      await page.getByText("The oven is hot").first().waitFor();
      await keep(page, `console-opened${path.replace(/[^a-z0-9]+/gi, "-")}`);
      await page.close();
    }
    const page = await open("/admin/service-accounts", "Deployments of the bakery");
    await page.getByRole("button", { name: "New service account" }).click();
    await page.getByLabel("Name", { exact: false }).first().waitFor();
    await page.close();
  } finally {
    refused.splice(-ofOtherPages.length);
    await context.unroute("**/api/admin/ui-config");
  }
});

test("a flag is switched in the console", async () => {
  const of = "/api/admin/projects/bakery/features/oven-timer/environments/development";
  const switched = async () => (await ask(of)).enabled;
  assert.equal(await switched(), true);
  const page = await open(feature, "development");
  const answered = page.waitForResponse((answer) => answer.url().endsWith("/environments/development/off"));
  await page.getByTestId("permission-switch").first().locator("input").click();
  assert.equal((await answered).status(), 200);
  assert.equal(await switched(), false);
  await page.close();
});

test("the console offers to import features", async () => {
  const page = await open(project, "oven-timer");
  await page.getByRole("button", { name: "Import" }).click();
  await page.getByText("Import options").first().waitFor();
  await page.close();
});

// The pages of the reference's console: what each shows that it has from the server, signed in and before that.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { keep } from "./chromium.mjs";
import { address, ask, close, open, refused, serve, stranger } from "./console.mjs";

await serve(process.env.CONSOLE);

const refusedToStrangers = [
  [/^401 GET .*\/api\/admin\/(user|ui-config)$/, "it asks who one is, and draws the form from the answer"],
  [/^401 GET .*\/auth\/reset\/validate\?token=nobody-made-this$/, "the answer by which it tells that a link is none"],
  [/^404 GET .*\/undefined\/logo-unleash\.png$/, "it draws the first page before it knows the path that it is below"],
];

// The archive of all projects asks for the project that it would be of, also where it is of none.
const archive = {
  known: [...refused, [/^404 GET .*\/projects\/undefined\/overview$/, "the archive is that of all projects"]],
};

// Secrets that addresses hold.
const made = {};
before(async () => {
  for (const [id, name] of [["bakery", "Bakery"], ["dairy", "Dairy"]]) {
    await ask("/api/admin/projects", { method: "POST", body: { id, name } });
  }
  await ask("/api/admin/projects/archive/dairy", { method: "POST" });
  const timer = { name: "oven-timer", type: "release", description: "Rings when the bread is done" };
  for (const body of [timer, { name: "sour-dough", type: "release" }]) {
    await ask("/api/admin/projects/bakery/features", { method: "POST", body });
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
  await ask("/api/admin/groups", { method: "POST", body: { name: "bakers-of-bread", users: [] } });
  await registerProgram();
});

async function registerProgram() {
  const headers = { authorization: process.env.FLAGSTONE_CLIENT_TOKEN, "content-type": "application/json" };
  const body = { appName: "oven", instanceId: "one", started: new Date().toISOString(), interval: 10, strategies: ["default"] };
  const answer = await fetch(`${address}/api/client/register`, { method: "POST", headers, body: JSON.stringify(body) });
  assert.equal(answer.status, 202, await answer.text());
}

const project = "/projects/bakery";
const feature = `${project}/features/oven-timer`;
// With what a page shows of the server's answers, unless it asks for none.
const pages = [
  // The first time all projects, later the one that one saw last. Nothing leads to /personal, which this console had not
  // finished: it asks there for the project "undefined", whatever it is answered.
  ["/", /Bakery|Default/],
  ["/projects", "Bakery"],
  [project, "oven-timer"],
  [`${project}/health`, /2 active flags/],
  [`${project}/archived`, "stale-bread", archive],
  // Beside what it shows it advertises change requests.
  [`${project}/insights`, /^2 feature flags$/, { advert: true }],
  [`${project}/logs`, /oven-timer/],
  [`${project}/settings/environments`, "development"],
  [`${project}/settings/api-access`, /API access/i],
  [`${project}/settings/default-strategy`, "development"],
  [feature, "development"],
  [`${feature}/variants`, "Add variant"],
  [`${feature}/metrics`, /yet to receive any metrics/],
  [`${feature}/logs`, /feature-created/],
  [`${feature}/settings`, /Description: Rings when/],
  [`${feature}/edit`, "Rings when the bread is done"],
  [`${feature}/copy`, /Copy/],
  [`${feature}/strategies/create?environmentId=development&strategyName=flexibleRollout`, /Gradual rollout/],
  ["/projects-archive", "Dairy"],
  ["/search", "sour-dough"],
  ["/archive", "stale-bread", archive],
  ["/playground", /Unleash playground/],
  ["/applications", /^oven$/],
  ["/applications/oven", /Everything looks good/],
  ["/applications/oven/instances", /^one$/],
  ["/context", "userId"],
  ["/context/create", /Context name/i],
  ["/context/edit/userId", /"description": "Id of the user"/],
  ["/environments", "production"],
  ["/environments/create", /environment/i],
  ["/environments/development", /"type": "development"/],
  ["/feature-toggle-type", "Release"],
  ["/feature-toggle-type/edit/release", "Edit flag type: Release"],
  ["/segments", "bakers"],
  ["/segments/create", /segment/i],
  ["/segments/edit/1", /"name": "bakers"/],
  ["/strategies", "Gradual rollout"],
  ["/strategies/create", /Strategy name/i],
  ["/strategies/default", "On for everybody."],
  ["/strategies/bakers-only/edit", /For those who get up early/],
  ["/tag-types", "simple"],
  ["/tag-types/create", /Tag name/i],
  ["/tag-types/edit/simple", /A word that groups features/],
  ["/integrations", "Tells the bakers"],
  ["/integrations/create/webhook", /Where the request is sent to/],
  ["/integrations/edit/1", /Tells the bakers/],
  ["/integrations/view/jira", /Jira documentation/],
  ["/history", /feature-created/],
  ["/profile", /^default$/],
  ["/profile/personal-api-tokens", /You have no personal API tokens yet/],
  ["/profile/change-password", /Change password/],
  ["/admin", /Manage Unleash/],
  ["/admin/users", "admin"],
  ["/admin/users/1/access", "Edit segments"],
  ["/admin/groups", /^bakers-of-bread$/],
  ["/admin/api", /^FRONTEND$/],
  ["/admin/api/create-token", /^Default$/],
  ["/admin/cors", /CORS origins/],
  ["/admin/maintenance", /^Disabled$/],
  ["/admin/instance", /Instance Statistics/i],
  ["/admin/instance-privacy", /Instance Privacy/i],
  ["/admin/auth", /OpenID Connect|Single Sign-On|sign-on/i],
];
for (const [path, says, options] of pages) {
  test(`the console's page ${path} shows what it is about`, async () => {
    const page = await open(path, says, options);
    await keep(page, `console${path.replace(/[^a-z0-9]+/gi, "-")}`);
    await close(page);
  });
}

// Where it shows an advertisement of the paid edition instead of what the server has: for what, and for which plan. In
// paid-console.test.mjs the server lets it show them, as far as there is anything to show.
const adverts = [
  ["/admin/banners", "Banners", "Enterprise plan"],
  ["/admin/logins", "Login history", "Enterprise plan"],
  ["/admin/roles", "Project Roles", "Enterprise plan"],
  ["/admin/roles/project-roles", "Project Roles", "Enterprise plan"],
  ["/admin/service-accounts", "Service Accounts", "Enterprise plan"],
  ["/admin/users/inactive", "Automatic clean-up of inactive users", "Enterprise plan"],
  ["/integrations/signals", "Signals", "Enterprise plan"],
  [`${project}/change-requests`, "Change Requests", "Enterprise plan"],
  [`${project}/settings`, "Project settings", "Pro & Enterprise plans"],
  [`${project}/settings/access`, "Access", "Pro & Enterprise plans"],
  [`${project}/settings/actions`, "Actions", "Enterprise plan"],
  [`${project}/settings/change-requests`, "Change Requests", "Enterprise plan"],
  [`${project}/settings/segments`, "Segments", "Pro & Enterprise plans"],
];
test("the console's pages of the paid edition are advertisements unless the server says that it is one", async () => {
  // Side by side, as most of a visit is waiting for the last request.
  await Promise.all(
    adverts.map(async ([path, what, plan]) => {
      const page = await open(path, "upgrade your plan", { advert: true });
      const text = await page.locator("body").innerText();
      assert.ok(text.includes(`\n${what} is a feature available for the ${plan}\n`), `${path}:\n${text}`);
      await keep(page, `console-advert${path.replace(/[^a-z0-9]+/gi, "-")}`);
      await close(page);
    }),
  );
});

test("the console's page /splash/operators is shown, and remembered as seen", async () => {
  // It does not read the answer to that, so its requests never end.
  const page = await open("/splash/operators", /feature strategy constraint operators/, { ends: false });
  await page.waitForFunction(async () => (await (await fetch("/api/admin/user")).json()).splash.operators);
  await close(page);
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
    await close(page);
  });
}

test("somebody signs in by the form that the console draws from the refusal", async () => {
  const page = await open("/login", "Sign in", { from: stranger, known: refusedToStrangers });
  await keep(page, "console-login");
  await page.getByLabel("Username or email").fill("admin");
  await page.getByLabel("Password", { exact: true }).fill("Tests-Admin-1");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Projects" }).first().waitFor();
  // It leads through /login once more, where the menu is shown already.
  await page.waitForURL(({ pathname }) => pathname === "/projects");
  assert.equal(await page.getByText("Personal Dashboard").count(), 0);
  const me = await (await stranger.request.get(`${address}/api/admin/user`)).json();
  assert.equal(me.user.username, "admin");
  await close(page);
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
  await close(page);
});

test("the console offers to import features", async () => {
  const page = await open(project, "oven-timer");
  await page.getByRole("button", { name: "Import" }).click();
  await page.getByText("Import options").first().waitFor();
  await close(page);
});

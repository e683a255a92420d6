// The forms of the reference's console: each shows what the server has, and what it sends is stored.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { keep } from "./chromium.mjs";
import { address, ask, becomes, close, open, serve, stranger } from "./console.mjs";

await serve(process.env.CONSOLE);

const project = "/api/admin/projects/pastry";
const ofFeature = `${project}/features/croissants/environments/development/strategies`;
const feature = "/projects/pastry/features/croissants";

// Whom and what the tests find there.
const found = {};
before(async () => {
  const post = (path, body) => ask(path, { method: "POST", body });
  await post("/api/admin/projects", { id: "pastry", name: "Pastry" });
  await post(`${project}/features`, { name: "croissants", type: "release" });
  const parameters = { rollout: "37", stickiness: "userId", groupId: "crumbs" };
  found.strategy = await post(ofFeature, { name: "flexibleRollout", title: "For early birds", parameters });
  const usual = { name: "flexibleRollout", title: "As always", parameters: { ...parameters, rollout: "61" } };
  await post(`${project}/environments/development/default-strategy`, usual);
  const hour = { name: "hour", type: "number", description: "From which hour on", required: true };
  await post("/api/admin/strategies", { name: "after-hours", description: "For the night shift", parameters: [hour] });
  const user = (name) => ({ name, email: `${name.toLowerCase()}@example.com`, rootRole: 3, sendEmail: false });
  found.baker = await post("/api/admin/user-admin", user("Lise"));
  found.apprentice = await post("/api/admin/user-admin", user("Emmy"));
  found.group = await post("/api/admin/groups", { name: "kneaders", description: "They knead", users: [] });
});

// Presses a button, and waits until the server has taken what the page then sends. Of the answer no more is asked than the
// status: where a page does not read the rest, nobody can.
async function send(page, button, method, path) {
  const answered = page.waitForResponse(
    (answer) => answer.request().method() === method && new URL(answer.url()).pathname === path,
  );
  await page.getByRole("button", { name: button, exact: true }).click();
  const status = (await answered).status();
  assert.ok(status < 300, `${method} ${path}: ${status}`);
}

const field = (page, label) => page.getByRole("textbox", { name: label, exact: true });
const holds = (page, label, value) => becomes(() => field(page, label).inputValue(), value);

// Chooses from the list that a field offers.
async function choose(page, label, option) {
  await page.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: option }).click();
}

test("the console's page /admin/create-user offers the server's roles, and creates a user with a link", async () => {
  const page = await open("/admin/create-user", "Create Unleash user");
  await field(page, "Full name").fill("Hedy");
  await field(page, "Email").fill("hedy@example.com");
  await choose(page, "Role", /^Viewer\s*May look at everything but change nothing/);
  await keep(page, "console-create-user");
  await send(page, "Create user", "POST", "/api/admin/user-admin");
  const { users } = await ask("/api/admin/user-admin");
  const [{ name, rootRole }] = users.filter(({ email }) => email === "hedy@example.com");
  assert.deepEqual({ name, rootRole }, { name: "Hedy", rootRole: 3 });
  const shown = await page.getByText("/new-user?token=").innerText();
  const read = await stranger.request.get(`${address}/auth/reset/validate${new URL(shown).search}`);
  assert.equal((await read.json()).email, "hedy@example.com");
  await close(page);
});

test("the console's page to edit a user shows the server's, and changes it", async () => {
  const page = await open(`/admin/users/${found.apprentice.id}/edit`, "Edit user");
  await holds(page, "Full name", "Emmy");
  await holds(page, "Email", "emmy@example.com");
  await field(page, "Full name").fill("Emmy, a baker");
  await choose(page, "Role", /^Editor/);
  await send(page, "Save", "PUT", `/api/admin/user-admin/${found.apprentice.id}`);
  const { name, rootRole } = await ask(`/api/admin/user-admin/${found.apprentice.id}`);
  assert.deepEqual({ name, rootRole }, { name: "Emmy, a baker", rootRole: 2 });
  await close(page);
  await close(await open("/admin/users", "Emmy, a baker"));
});

test("the console's page /admin/invite-link creates a link, and then changes it", async () => {
  const page = await open("/admin/invite-link", "Create invite link");
  await send(page, "Create invite link", "POST", "/api/admin/invite-link/tokens");
  const shown = new URL(await page.getByText("/new-user?invite=").innerText());
  await keep(page, "console-invite-link");
  await close(page);
  const read = await stranger.request.get(`${address}/invite/${shown.searchParams.get("invite")}/validate`);
  assert.equal(read.status(), 200);
  // The console knows one link, by this name.
  const stored = async () => (await ask("/api/admin/invite-link/tokens")).tokens.find(({ name }) => name === "default");
  const first = await stored();
  assert.equal(first.enabled, true);

  const again = await open("/admin/invite-link", "Update invite link");
  await again.getByRole("combobox", { name: "48 hours" }).click();
  await again.getByRole("option", { name: "1 week" }).click();
  await send(again, "Update invite link", "PUT", `/api/admin/invite-link/tokens/${first.secret}`);
  const days = (Date.parse((await stored()).expiresAt) - Date.parse(first.expiresAt)) / 86_400_000;
  assert.ok(days > 4.9, `${days} days longer`);
  await close(again);
});

test("the console's page /admin/groups/create-group offers the server's users, and creates a group", async () => {
  const page = await open("/admin/groups/create-group", "Create group");
  await field(page, "Name").fill("bakers-of-cake");
  await field(page, "Description").fill("They have it, and eat it");
  await choose(page, "Select users", /^Lise\s*lise@example.com/);
  await page.keyboard.press("Escape");
  await send(page, "Create group", "POST", "/api/admin/groups");
  const { groups } = await ask("/api/admin/groups");
  const [{ id, description, users }] = groups.filter(({ name }) => name === "bakers-of-cake");
  assert.equal(description, "They have it, and eat it");
  assert.deepEqual(users.map(({ user }) => user.id), [found.baker.id]);
  await close(page);

  const shown = await open(`/admin/groups/${id}`, "They have it, and eat it");
  await shown.getByRole("cell", { name: "Lise" }).waitFor();
  await keep(shown, "console-group");
  await close(shown);
});

test("the console's page to edit a group shows the server's, and changes it", async () => {
  const page = await open(`/admin/groups/${found.group.id}`, "They knead");
  await page.getByRole("link", { name: "Edit group" }).click();
  await page.waitForURL(`**/admin/groups/${found.group.id}/edit`);
  await holds(page, "Name", "kneaders");
  await holds(page, "Description", "They knead");
  await field(page, "Description").fill("They knead by hand");
  await choose(page, "Role", /^Editor/);
  await send(page, "Save", "PUT", `/api/admin/groups/${found.group.id}`);
  const { name, description, rootRole } = await ask(`/api/admin/groups/${found.group.id}`);
  assert.deepEqual({ name, description, rootRole }, { name: "kneaders", description: "They knead by hand", rootRole: 2 });
  // It goes back to where it came from.
  await page.getByText("They knead by hand").waitFor();
  await close(page);
});

test("the console's page to edit a strategy shows the server's, and changes it", async () => {
  const { id } = found.strategy;
  const page = await open(`${feature}/strategies/edit?environmentId=development&strategyId=${id}`, "Save strategy");
  await holds(page, "Strategy title", "For early birds");
  await holds(page, "groupId", "crumbs");
  await becomes(() => page.getByRole("slider").inputValue(), "37");
  await page.getByRole("combobox", { name: "userId" }).waitFor();
  await keep(page, "console-edit-strategy");
  await field(page, "Strategy title").fill("For late risers");
  await send(page, "Save strategy", "PUT", `${ofFeature}/${id}`);
  const { title, parameters } = await ask(`${ofFeature}/${id}`);
  assert.deepEqual(
    { title, parameters },
    { title: "For late risers", parameters: { rollout: "37", stickiness: "userId", groupId: "crumbs" } },
  );
  await close(page);
});

test("the console's page to add a strategy of one's own shows its parameters, and adds it", async () => {
  const asked = "environmentId=development&strategyName=after-hours";
  const page = await open(`${feature}/strategies/create?${asked}`, "From which hour on");
  await field(page, "hour *").fill("22");
  await keep(page, "console-add-strategy");
  await send(page, "Save strategy", "POST", ofFeature);
  const [added] = (await ask(ofFeature)).filter(({ name }) => name === "after-hours");
  assert.deepEqual(added.parameters, { hour: "22" });
  await close(page);
});

test("the console's page /strategies/create creates a strategy with a parameter, which it then shows", async () => {
  const page = await open("/strategies/create", /Strategy name/i);
  await field(page, "Strategy name*").fill("by-weather");
  await field(page, "Strategy description").fill("When the sun shines");
  await page.getByRole("button", { name: "Add parameter" }).click();
  await field(page, "Parameter name 1*").fill("degrees");
  await field(page, "Parameter name 1 description").fill("At least so warm");
  await send(page, "Create strategy", "POST", "/api/admin/strategies");
  const { description, parameters } = await ask("/api/admin/strategies/by-weather");
  assert.equal(description, "When the sun shines");
  assert.deepEqual(parameters.map((one) => [one.name, one.description]), [["degrees", "At least so warm"]]);
  await close(page);
  await close(await open("/strategies/by-weather", "At least so warm"));
});

test("the console's page to edit a default strategy shows the server's, and changes it", async () => {
  // Opened by its address it shows a strategy of its own instead: it does not wait for the project.
  const page = await open("/projects/pastry/settings/default-strategy", "As always");
  await page.getByText("61%").filter({ visible: true }).first().waitFor();
  await page.getByTestId("STRATEGY_EDIT-flexibleRollout").first().click();
  await page.waitForURL("**/settings/default-strategy/edit?environmentId=development");
  await holds(page, "Strategy title", "As always");
  await holds(page, "groupId", "crumbs");
  await becomes(() => page.getByRole("slider").inputValue(), "61");
  await keep(page, "console-default-strategy");
  await field(page, "Strategy title").fill("As of today");
  await send(page, "Save strategy", "POST", `${project}/environments/development/default-strategy`);
  const { environments } = await ask(`${project}/overview`);
  const { defaultStrategy } = environments.find(({ environment }) => environment === "development");
  assert.deepEqual([defaultStrategy.title, defaultStrategy.parameters.rollout], ["As of today", "61"]);
  await close(page);
});

test("the console's page to create a token of a project offers its environments, and shows the secret", async () => {
  const page = await open("/projects/pastry/settings/api-access/create", "Create project API token");
  await field(page, "Token name").fill("oven-in-the-yard");
  await page.getByRole("combobox", { name: "development" }).click();
  await page.getByRole("option", { name: "production" }).click();
  await send(page, "Create token", "POST", `${project}/api-tokens`);
  const { tokens } = await ask(`${project}/api-tokens`);
  const [{ type, environment, projects }] = tokens.filter(({ tokenName }) => tokenName === "oven-in-the-yard");
  assert.deepEqual([type, environment, projects], ["client", "production", ["pastry"]]);
  const authorization = await page.getByText(/^pastry:production\.[0-9a-z]+$/).innerText();
  const read = await fetch(`${address}/api/client/features`, { headers: { authorization } });
  assert.deepEqual((await read.json()).features.map(({ name }) => name), ["croissants"]);
  await keep(page, "console-token-of-project");
  await close(page);
  await close(await open("/projects/pastry/settings/api-access", "oven-in-the-yard"));
});

// What somebody does around flags in a day: programs, people, and other systems.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { ask } from "../chromium.mjs";
import { loginProvider } from "../provider.mjs";
import { dialog, named } from "./hands.mjs";

const kept = ({ page, hand }) => hand.press(named(page, "button", "I have kept it"));

/** Answers 500 below /failing, and takes everything else. */
async function receiver(test) {
  const listening = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(request.url.startsWith("/failing") ? 500 : 200).end());
  });
  await new Promise((resolve) => listening.listen(0, "127.0.0.1", resolve));
  test.after(() => listening.close());
  return `http://127.0.0.1:${listening.address().port}`;
}

export const company = [
  {
    task: "Create an API token",
    async act(day) {
      const { page, hand, key } = day;
      await hand.area("API tokens");
      const form = await hand.form("New token");
      await hand.type(form.getByLabel(/^Name/), `server-${key}`);
      await hand.choose(named(form, "combobox", "Environment"), "▲ production");
      await hand.press(named(form, "button", `Create server-${key}`));
      await kept(day);
    },
    isDone: async ({ key }) =>
      (await ask("/api/admin/api-tokens")).tokens.some(
        ({ tokenName, environment }) => tokenName === `server-${key}` && environment === "production",
      ),
  },
  {
    task: "Connect an application, until it asks",
    async act({ page, hand, key, server }) {
      await hand.area("Connect");
      await hand.type(page.getByLabel("Name of the application"), `shop-${key}`);
      await hand.submit(named(page, "button", "Create a token"));
      const secret = await page.getByRole("textbox", { name: /^The token/ }).innerText();
      const answer = await fetch(`${server}/api/client/features`, { headers: { authorization: secret } });
      assert.equal(answer.status, 200);
    },
    async isDone({ page }) {
      await page.getByText("✓ Your application asked").waitFor();
      return true;
    },
  },
  {
    task: "Invite a user",
    async act(day) {
      const { page, hand, key } = day;
      await hand.find("Users");
      const form = await hand.form("New user");
      await hand.type(form.getByLabel("Email"), `grace-${key}@example.com`);
      await hand.submit(named(form, "button", "Create the user"));
      await kept(day);
    },
    isDone: async ({ key }) =>
      (await ask("/api/admin/user-admin")).users.some(({ email }) => email === `grace-${key}@example.com`),
  },
  {
    task: "Create a role that only switches flags in production",
    async act({ page, hand, key }) {
      await hand.find("Roles");
      const form = await hand.form("New role");
      await hand.type(form.getByLabel(/^Name/), `Night shift ${key}`);
      await hand.check(named(form, "checkbox", "Switch feature flags on and off in production"));
      await hand.press(named(form, "button", `Create Night shift ${key}`));
    },
    isDone: async ({ key }) => (await ask("/api/admin/roles")).roles.some(({ name }) => name === `Night shift ${key}`),
  },
  {
    task: "Give somebody that role in a project",
    async act({ page, hand, key, title }) {
      await hand.find(title);
      await hand.press(
        page.getByRole("navigation", { name: "About this project" }).getByRole("link", { name: "Access" }),
      );
      await hand.press(named(page, "button", "Add people"));
      const form = dialog(page, /^Add people/);
      await hand.choose(named(form, "combobox", "People"), `grace-${key}@example.com`);
      await hand.leave();
      await hand.choose(named(form, "combobox", "Roles"), `Night shift ${key}`);
      await hand.leave();
      await hand.press(named(form, "button", "Add"));
    },
    async isDone({ id, key }) {
      const { users, roles } = await ask(`/api/admin/projects/${id}/access`);
      const role = roles.find(({ name }) => name === `Night shift ${key}`);
      return users.some(({ email, roles: held }) => email === `grace-${key}@example.com` && held.includes(role.id));
    },
  },
  {
    task: "Create an integration that fails, and repair it",
    prepare: async (day) => Object.assign(day, { receiver: await receiver(day.test) }),
    async act({ page, hand, key, receiver }) {
      await hand.area("Integrations");
      const form = await hand.form("New integration");
      await hand.choose(named(form, "combobox", "Type"), "Webhook");
      await hand.type(form.getByLabel("Description"), `chat-${key}`);
      await hand.type(form.getByLabel("Address"), `${receiver}/failing`);
      await hand.press(named(form, "button", "Production changes"));
      await hand.press(named(form, "button", "Create"));
      const drawer = dialog(page, `chat-${key}`);
      await hand.press(named(drawer, "button", "Test"));
      await drawer.getByRole("status").getByText(/500/).first().waitFor();
      await hand.type(drawer.getByLabel("Address"), `${receiver}/taking`);
      await hand.submit(named(drawer, "button", "Save"));
      await page.getByRole("alert").filter({ hasText: "The integration is saved." }).waitFor();
      await hand.press(named(drawer, "button", "Test"));
    },
    async isDone({ page, key }) {
      await dialog(page, `chat-${key}`).getByRole("status").getByText("Delivered.").waitFor();
      return true;
    },
  },
  {
    task: "Try OpenID Connect out before it is saved",
    async prepare(day) {
      const provider = await loginProvider(`ada-${day.key}@example.com`);
      day.test.after(() => provider.close());
      day.issuer = provider.issuer;
    },
    async act({ page, hand, issuer, asked }) {
      await hand.find("Sign-in settings");
      await hand.check(named(page, "switch", /^People can sign in this way/));
      await hand.type(page.getByLabel("Client id"), "flags");
      await hand.type(page.getByLabel(/^Client secret/), "kept-to-itself");
      await hand.type(page.getByLabel("Discovery URL"), issuer);
      await hand.press(named(page, "button", "Try it out"));
      const [tab] = await Promise.all([
        page.context().waitForEvent("page"),
        hand.press(named(page, "link", "Sign in at the provider")),
      ]);
      await page
        .getByRole("status")
        .getByText(/^They would/)
        .waitFor();
      await tab.close();
      // The provider is elsewhere, as it must be.
      asked.length = 0;
    },
    isDone: async () => (await ask("/api/admin/auth/oidc/settings")).enabled === false,
  },
  {
    task: "Import flags from a file",
    async act({ page, hand, key, title }) {
      const name = `imported-${key}`;
      const data = {
        features: [{ name, type: "release" }],
        featureStrategies: [{ name: "default", featureName: name, parameters: {}, constraints: [] }],
        featureEnvironments: [{ name, featureName: name, environment: "development", enabled: true }],
        contextFields: [],
        segments: [],
        tagTypes: [],
        featureTags: [],
      };
      await hand.find("Import flags");
      const chooser = page.waitForEvent("filechooser");
      await hand.press(named(page, "button", "Choose a file"));
      const buffer = Buffer.from(JSON.stringify(data));
      await (await chooser).setFiles({ name: "export.json", mimeType: "application/json", buffer });
      await hand.choose(named(page, "combobox", "Into the project"), title);
      await hand.choose(named(page, "combobox", "And its environment"), "development");
      await hand.press(named(page, "button", "Import it"));
      await page.getByRole("main").getByText("Imported", { exact: true }).waitFor();
    },
    isDone: async ({ id, key }) =>
      (await ask(`/api/admin/projects/${id}/features/imported-${key}/environments/development`)).enabled,
  },
  {
    task: "Read the notifications",
    async prepare({ id, flag }) {
      await ask(`/api/admin/projects/${id}/features/${flag}/environments/development/on`, { method: "POST" });
    },
    async act({ page, hand }) {
      await hand.press(page.getByRole("button", { name: /^Notifications, \d+ unread$/ }));
      await hand.press(named(page, "button", "Mark all as read"));
    },
    async isDone({ page }) {
      await named(page, "button", "Notifications, none unread").waitFor();
      return true;
    },
  },
];

// What pages show while they load, when the server is away, and to somebody who may not see them.
import { test } from "node:test";
import { userNamed } from "./administration.mjs";
import { admin, returningVisitor, server, settled } from "./chromium.mjs";

const viewer = { username: "may-look-only", password: "Tests-Person-1" };
const made = userNamed(viewer.username);

// What every page asks for before it is one.
const everywhere = /\/api\/admin\/(user|ui-config|environments|projects|maintenance|feature-types)(\?.*)?$/;

/** By address, with the permission that a viewer is told to lack. */
const pages = {
  "/projects/webshop": undefined,
  "/projects/webshop/health": undefined,
  "/projects/webshop/archive": undefined,
  "/projects/webshop/access": "View the project's access",
  "/projects/webshop/tokens": "View the project's API tokens",
  "/projects/webshop/settings": undefined,
  "/insights": undefined,
  "/history": undefined,
  "/build/segments": undefined,
  "/build/context": undefined,
  "/build/tags": undefined,
  "/build/strategies": undefined,
  "/applications": undefined,
  "/applications/nobody-yet": undefined,
  "/edges": undefined,
  "/tokens": "View server API tokens",
  "/integrations": undefined,
  "/people/users": "“Administrator”",
  "/people/groups": "“Administrator”",
  "/people/roles": "View roles",
  "/people/invites": "“Administrator”",
  "/people/sessions": "“Administrator”",
  "/people/access-requests": "“Administrator”",
  "/people/inactive": "“Administrator”",
  "/people/access": "View roles",
  "/settings/instance": "“Administrator”",
  "/settings/sign-in/oidc": "“Administrator”",
  "/settings/sign-in/saml": "“Administrator”",
  "/settings/sign-in/policy": "“Update sign-in settings”",
  "/settings/sign-in/accounts": "“Administrator”",
  "/settings/sign-in/scim": "“Administrator”",
  "/settings/sign-in/providers": "“Administrator”",
  "/settings/sign-in/log": "“View the event log and sign-ins”",
  "/me/tokens": undefined,
  "/me/sessions": undefined,
  "/me/security": undefined,
};

for (const [path, permission] of Object.entries(pages)) {
  test(`${path} while it loads, while the server is away${permission ? ", and refused" : ""}`, async () => {
    await returningVisitor({ as: admin }, async ({ page }) => {
      const held = [];
      let isAway = false;
      await page.route("**/api/**", (route) => {
        if (everywhere.test(route.request().url())) return route.continue();
        if (isAway) return route.abort();
        held.push(route);
      });
      await page.goto(`${server}/console${path}`);
      await page.getByRole("status", { name: "Loading" }).first().waitFor();
      isAway = true;
      await Promise.all(held.map((route) => route.abort()));
      const alert = page.getByRole("alert").filter({ hasText: "The server does not answer" }).first();
      await alert.waitFor();
      await page.unroute("**/api/**");
      await alert
        .getByRole("button", { name: "Try again" })
        .click({ timeout: 5000 })
        .catch(() => undefined);
      await page
        .getByRole("alert")
        .filter({ hasText: "The server does not answer" })
        .first()
        .waitFor({ state: "hidden" });
      await settled(page);
    });

    if (!permission) return;
    await made;
    await returningVisitor({ as: viewer }, async ({ page }) => {
      await page.goto(`${server}/console${path}`);
      await page.locator("main").getByText(permission).first().waitFor();
    });
  });
}

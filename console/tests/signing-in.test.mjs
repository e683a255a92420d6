// How people come in and go, from the first click to what the server then says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { admin, assertAtPeace, forgetSession, server, visitor } from "./chromium.mjs";

test("signs in by the form, and comes to the page that was wanted", async () => {
  const seen = await visitor();
  const { page } = seen;
  await page.goto(`${server}/console/history`);
  await page.getByLabel("User name or email").fill("admin");
  await page.locator("input[type=password]").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").getByText("do not match").first().waitFor();
  await page.locator("input[type=password]").fill(admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Event log" }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/console/history");
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  assert.ok(!/token|session|Tests-Admin/i.test(stored), stored);
  await page.keyboard.press("Shift+R");
  const login = page.locator("details", { hasText: "POST /auth/simple/login" }).first();
  await login.locator("summary").click();
  await login.getByText('"password": "…"').waitFor();
  assert.ok(!(await page.content()).includes(admin.password));
  await assertAtPeace(seen);
});

test("nothing is refused before somebody signs in, who then is where they wanted to be", async () => {
  const { page, context } = await visitor();
  const refused = [];
  const said = [];
  context.on("response", (response) => response.status() >= 400 && refused.push(response.url()));
  context.on("console", (message) => message.type() === "error" && said.push(message.text()));
  for (const path of ["/console/", "/console/features?query=till", "/console/sign-in"]) {
    await page.goto(`${server}${path}`);
    await page.getByLabel("User name or email").waitFor();
  }
  await page.goto(`${server}/console/features?query=till`);
  await page.getByLabel("User name or email").fill("admin");
  await page.locator("input[type=password]").fill(admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Feature flags", level: 1 }).waitFor();
  assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, "/console/features?query=till");
  // What the browser keeps of the page from before does not lead back to signing in.
  await page.goto(`${server}/console/projects`);
  await page.getByRole("heading", { name: "Projects", level: 1 }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Feature flags", level: 1 }).waitFor();
  assert.deepEqual([refused, said], [[], []]);
});

test("signs out, and is nobody afterwards", async () => {
  const seen = await visitor({ as: admin });
  const { page, open, context } = seen;
  await open("/features");
  await page.getByRole("button", { name: "Me: admin" }).click();
  await page.getByRole("menuitem", { name: "Dark" }).click();
  await page.waitForFunction(() => document.documentElement.dataset.mantineColorScheme === "dark");
  await page.getByRole("button", { name: "Me: admin" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByLabel("User name or email").waitFor();
  assert.equal((await context.request.get(`${server}/api/admin/user`)).status(), 401);
  forgetSession(admin);
});

test("never leads elsewhere after signing in", async () => {
  const { page } = await visitor();
  await page.goto(`${server}/console/sign-in?to=//elsewhere.example/`);
  await page.getByLabel("User name or email").fill("admin");
  await page.locator("input[type=password]").fill(admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: /^Home/ }).waitFor();
  assert.equal(new URL(page.url()).origin, new URL(server).origin);
});

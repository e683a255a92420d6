// Texts that nobody expects, in every place that holds one; very many things, and very few.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { ownServer } from "./own-server.mjs";

await ownServer();
const { admin, ask, assertAtPeace, eventually, keep, narrow, returningVisitor, settled, server, visitor, wide } =
  await import("./chromium.mjs");

const nasty = '<img src=x onerror="document.title=1">&lt;b&gt; 🚩👩‍👩‍👧 مرحبا بالعالم ';
/** As long as it may be, without a place to break a line, and the other things before. */
const text = (length) => (nasty + "Ä".repeat(length)).slice(0, length).trim();
const id = (at = "") => `${at}${"n".repeat(100)}`.slice(0, 100);
const made = {};

const post = (path, body) => ask(`/api/admin${path}`, { method: "POST", body });

before(async () => {
  const project = id("p");
  await post("/projects", { id: project, name: text(100), description: text(1000) });
  await post("/context", { name: id("field-"), description: text(250), legalValues: [{ value: text(100) }] });
  await post("/tag-types", { name: id("kind-").slice(0, 50), description: text(250) });
  const tag = { type: id("kind-").slice(0, 50), value: text(50) };
  const { id: segment } = await post("/segments", { name: text(100), description: text(1000), constraints: [] });
  await post("/strategies", { name: id("s"), title: text(100), description: text(1000), parameters: [] });
  await post("/projects/" + project + "/features", { name: id("f"), description: text(1000) });
  await post(`/features/${id("f")}/tags`, tag);
  for (let at = 0; at < 30; at += 1) await post(`/features/${id("f")}/tags`, { type: "simple", value: text(44) + at });
  const development = `/projects/${project}/features/${id("f")}/environments/development`;
  const constraints = [{ contextName: id("field-"), operator: "IN", values: [text(100)] }];
  await post(`${development}/strategies`, { name: "default", title: text(100), constraints, segments: [segment] });
  await ask(`/api/admin${development}/variants`, {
    method: "PUT",
    body: [{ name: id("v"), weight: 1000, weightType: "variable", stickiness: "default" }],
  });
  const person = { username: id("u"), name: text(100), email: `${"e".repeat(60)}@example.com`, rootRole: 3 };
  made.user = (await post("/user-admin", { ...person, sendEmail: false })).id;
  made.role = (await post("/roles", { name: text(100), description: text(250), permissions: [] })).roles.id;
  made.group = (
    await post("/groups", { name: text(100), description: text(250), users: [{ user: { id: made.user } }] })
  ).id;
  await post(`/projects/${project}/access`, { roles: [4], groups: [made.group], users: [made.user] });
  await post("/api-tokens", { tokenName: text(100), type: "client", environment: "development", projects: [project] });
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  await post("/invite-link/tokens", { name: text(100), expiresAt });
  await post("/scim-settings/directories", { name: text(100) });
  const settings = { clientId: text(1000), secret: "of-texts", discoverUrl: "https://id.example.com" };
  await post("/auth/providers", { id: id("p").slice(0, 50), kind: "oidc", label: text(100), settings });
  made.project = project;
  made.segment = segment;
});

const pages = {
  home: () => "/",
  features: () => "/features",
  "project-features": () => `/projects/${made.project}/features`,
  feature: () => `/projects/${made.project}/features/${id("f")}`,
  variants: () => `/projects/${made.project}/features/${id("f")}/variants?env=development`,
  "feature-history": () => `/projects/${made.project}/features/${id("f")}/history`,
  "feature-settings": () => `/projects/${made.project}/features/${id("f")}/settings`,
  projects: () => "/projects",
  project: () => `/projects/${made.project}`,
  "project-health": () => `/projects/${made.project}/health`,
  "project-access": () => `/projects/${made.project}/access`,
  "project-tokens": () => `/projects/${made.project}/tokens`,
  "project-settings": () => `/projects/${made.project}/settings`,
  history: () => "/history",
  insights: () => "/insights",
  playground: () => `/playground?project=${made.project}&environment=development&userId=1`,
  segments: () => "/build/segments",
  segment: () => `/build/segments?open=${made.segment}`,
  context: () => "/build/context",
  tags: () => "/build/tags",
  "tag-types": () => "/build/tags?kind=types",
  strategies: () => "/build/strategies",
  tokens: () => "/tokens",
  users: () => "/people/users",
  user: () => `/people/users?user=${made.user}`,
  groups: () => "/people/groups",
  roles: () => "/people/roles",
  role: () => `/people/roles?role=${made.role}`,
  invites: () => "/people/invites",
  scim: () => "/settings/sign-in/scim",
  "login-providers": () => "/settings/sign-in/providers",
  access: () => `/people/access?user=${made.user}`,
  setup: () => `/setup?language=node&project=${made.project}&environment=development`,
  export: () => `/export?project=${made.project}&environment=development`,
};

for (const [name, path] of Object.entries(pages)) {
  test(`${name} shows any text as text, within the screen`, () =>
    returningVisitor({ as: admin }, async (seen) => {
      const { page } = seen;
      await page.setViewportSize(wide);
      await page.goto(`${server}/console${path()}`);
      await settled(page);
      assert.equal(await page.locator("main [role=alert]").count(), 0, "the page says that something is amiss");
      for (const size of [wide, narrow]) {
        await page.setViewportSize(size);
        await keep(page, `texts-${name}-${size === wide ? "wide" : "narrow"}`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(overflow <= 0, `the page is ${overflow} px wider than ${size.width}`);
      }
      assert.equal(await page.locator("img").count(), 0);
      assert.notEqual(await page.title(), "1");
      await assertAtPeace(seen);
    }));
}

test("thousands of tags: the lists and choices draw what the screen shows", async () => {
  const names = Array.from({ length: 100 }, (_, at) => `many-tags-${at}`);
  const data = {
    features: names.map((name) => ({ name, type: "release", project: "default" })),
    featureStrategies: [],
    featureEnvironments: [],
    featureTags: names.flatMap((featureName, at) =>
      Array.from({ length: 50 }, (_, tag) => ({ featureName, tagType: "simple", tagValue: `tag-${at}-${tag}` })),
    ),
    tagTypes: [],
    contextFields: [],
    segments: [],
    dependencies: [],
  };
  await post("/features-batch/import", { project: "default", environment: "development", data });
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/build/tags");
  const table = page.getByRole("table");
  assert.ok(Number(await table.getAttribute("aria-rowcount")) > 5000);
  assert.ok((await page.locator("tbody tr").count()) < 60);
  await open("/projects/default/features");
  await page.getByRole("button", { name: "Tag", exact: true }).click();
  await page.getByRole("checkbox").nth(20).waitFor();
  assert.ok((await page.locator("*").count()) < 2500);
  await page.getByLabel("Find in Tag").fill("tag-99-49");
  await page.getByRole("checkbox", { name: "simple:tag-99-49" }).click();
  await page.waitForFunction(() => location.search.includes("tag="));
  await page.getByRole("link", { name: "many-tags-99", exact: true }).waitFor();
  await assertAtPeace(seen);
});

test("a project with one environment, and one with fifty", async () => {
  await post("/projects", { id: "few", name: "Few" });
  await ask("/api/admin/projects/few/environments/production", { method: "DELETE" });
  await post("/projects/few/features", { name: "in-one-place" });
  const { environments } = await ask("/api/admin/environments");
  for (let at = environments.length; at < 50; at += 1) {
    const environment = `region-${String(at).padStart(2, "0")}`;
    await post("/environments", { name: environment, type: "test" });
    await post("/projects/default/environments", { environment }).catch(() => undefined);
  }
  await post("/projects/default/features", { name: "in-fifty-places" });
  const seen = await visitor({ as: admin });
  const { page, open } = seen;
  await open("/projects/few/features");
  await page.getByRole("switch", { name: "in-one-place in development" }).waitFor();
  assert.equal(await page.getByRole("switch").count(), 1);

  await open("/projects/default/features?query=in-fifty-places");
  await page.getByRole("switch", { name: "in-fifty-places in production" }).waitFor();
  assert.equal(await page.getByRole("switch").count(), 6, "as many columns as fit");
  await keep(page, "texts-fifty-environments-wide");
  await page.getByRole("combobox", { name: /^Environments in the list: 6 of \d\d/ }).fill("region-33");
  await page.getByRole("option", { name: "region-33" }).click();
  await page.getByRole("switch", { name: "in-fifty-places in region-33" }).waitFor();
  assert.match(page.url(), /columns=/);

  await open("/projects/default/features/in-fifty-places");
  const { environments: all } = await ask("/api/admin/projects/default/features/in-fifty-places");
  assert.ok(all.length >= 48, `${all.length} environments`);
  assert.equal(await page.getByRole("switch").count(), all.length);
  for (const size of [wide, narrow]) {
    await page.setViewportSize(size);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(overflow <= 0, `${overflow} px too wide`);
  }
  await keep(page, "texts-fifty-environments-feature-narrow");
  await page.getByRole("switch", { name: "in-fifty-places in region-49" }).press("Space");
  await eventually(
    () => ask("/api/admin/projects/default/features/in-fifty-places/environments/region-49"),
    ({ enabled }) => enabled,
  );
  await assertAtPeace(seen);
});

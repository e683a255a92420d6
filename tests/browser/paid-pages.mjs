// Pages that the reference's consoles open to the paid edition alone, and that find here what they ask for.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { keep } from "./chromium.mjs";
import { address, ask, close, open, stranger } from "./console.mjs";

// Makes tests of `console`, a name for the reports, with what its pages find in `project`. Each of `pages` is a path with what
// it shows; a third is what it may be refused besides `known`.
export function showPaidPages({ console, project, known, pages }) {
  before(async () => {
    const post = (path, body) => ask(path, { method: "POST", body });
    const account = { name: `Deployments of ${project}`, username: `deployer-of-${project}`, rootRole: 3 };
    const { id } = await post("/api/admin/service-account", account);
    await post("/api/admin/groups", { name: `watch-of-${project}`, users: [{ user: { id } }] });
    await post(`/api/admin/projects/${project}/access`, { roles: [4], groups: [], users: [id] });
    await post("/api/admin/segments", { name: `ships-of-${project}`, project, constraints: [] });
    await post("/api/admin/banners", { message: `${project} is flooded`, variant: "warning" });
    // What is typed is shown where it is somebody's name.
    const username = `guessed-of-${project}`;
    await post("/api/admin/user-admin", { username, rootRole: 3 });
    const guess = { data: { username, password: "Wrong-pass-1" } };
    assert.equal((await stranger.request.post(`${address}/auth/simple/login`, guess)).status(), 401);
  });

  const all = [
    ["/admin/service-accounts", `Deployments of ${project}`],
    ["/admin/logins", `guessed-of-${project}`],
    ["/admin/banners", `${project} is flooded`],
    ["/admin/groups", `watch-of-${project}`],
    ["/admin/roles", "May look at everything but change nothing"],
    ["/admin/roles/project-roles", "May do everything in the project"],
    ["/admin/users/inactive", "No inactive users found"],
    [`/projects/${project}/settings`, /active (feature )?flag/],
    [`/projects/${project}/settings/access`, `Deployments of ${project}`],
    ...pages,
  ];
  for (const [path, says, besides = []] of all) {
    test(`${console}'s page ${path} of the paid edition finds what it asks for`, async () => {
      const page = await open(path, says, { known: [...known, ...besides] });
      await page.getByText(`${project} is flooded`).first().waitFor();
      await keep(page, `${console} paid${path.replace(/[^a-z0-9]+/gi, "-")}`);
      await close(page);
    });
  }

  test(`${console} offers to create a service account`, async () => {
    const page = await open("/admin/service-accounts", `Deployments of ${project}`, { known });
    await page.getByRole("button", { name: "New service account" }).click();
    await page.getByLabel("Name", { exact: false }).first().waitFor();
    await close(page);
  });
}

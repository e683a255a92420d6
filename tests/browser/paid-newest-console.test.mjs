// The newest console of the reference, which the server lets show pages of the paid edition.
import assert from "node:assert/strict";
import { test } from "node:test";
import { goThroughChangeRequests } from "./change-requests.mjs";
import { ask, becomes, close, open, serve } from "./console.mjs";
import { showPaidPages } from "./paid-pages.mjs";

await serve(process.env.NEWEST_CONSOLE, process.env.PAID_CONSOLE_SERVER);

// What its pages may be refused: nothing, but for what is said at them.
const known = [];
const console = "the newest console";
const project = "pier";
goThroughChangeRequests({ console, project, known, asksFor: true });

// What this server does not have.
const templates = [/^404 GET .*\/(release-plan-templates|release-templates)$/, "there are no release templates"];
const seats = [/^404 GET .*\/licensed-users$/, "nobody pays for users"];
const trends = [/^404 GET .*\/insights\/lifecycle\?projects=$/, "there are no trends of stages"];
const column = [/^404 GET .*\/projects\/Project\/change-requests\/config$/, "it takes the name of a column for a project"];
showPaidPages({
  console,
  project,
  known,
  pages: [
    [`/projects/${project}`, `crane-of-${project}`, [templates]],
    ["/search", `crane-of-${project}`, [templates]],
    [`/projects/${project}/settings/segments`, `ships-of-${project}`, [column]],
    ["/change-requests", "Approval Requested"],
    ["/environments", "production"],
    ["/projects-archive", /archived/i],
    ["/insights", /^Total users$/, [trends]],
    ["/admin/users", `The author`, [seats]],
    ["/release-templates", "Get started with release templates", [templates]],
  ],
});

test(`${console} lets projects begin with change requests, by their environments and one by one`, async () => {
  const path = "/api/admin/environments/production";
  const page = await open("/environments/production", "predefine change requests", { known });
  await page.getByLabel("Yes", { exact: true }).check();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await becomes(async () => (await ask(path)).requiredApprovals, 1);
  await close(page);
  const create = await open("/projects?create=true", "1 environment configured", { known });
  await create.getByPlaceholder("project name").or(create.getByLabel("project name")).first().fill("Mole");
  await create.getByRole("button", { name: "Create project", exact: true }).click();
  const configured = async () => {
    const { projects } = await ask("/api/admin/projects");
    const found = projects.find(({ name }) => name === "Mole");
    if (!found) return undefined;
    const environments = await ask(`/api/admin/projects/${found.id}/change-requests/config`);
    return environments.map(({ environment, requiredApprovals }) => [environment, requiredApprovals]);
  };
  await becomes(configured, [["development", null], ["production", 1]]);
  await close(create);
  assert.equal((await ask(path)).requiredApprovals, 1);
});

// Another day in it: what is compared, rewound and approved. Leaves the rest of the pictures of docs/console.md.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { post, put, userNamed } from "./administration.mjs";
import { sessionOf } from "./api.mjs";
import { admin, ask, assertAtPeace, eventually } from "./chromium.mjs";
import { picture, pictured } from "./guide.mjs";

// Names that are good to look at: this runs once on a server.
const id = "boutique";
const project = `/projects/${id}`;
const production = `${project}/environments/production/change-requests`;
const feature = "basket-in-one-step";
const others = ["gift-cards", "search-by-picture"];
let lin;

const rollout = (share) => ({
  name: "flexibleRollout",
  parameters: { rollout: share, stickiness: "default", groupId: feature },
});
const inEnvironment = (name) => `${project}/features/${feature}/environments/${name}`;

async function person(username, rootRole) {
  const { id: userId } = await userNamed(username, { rootRole });
  return { username, password: "Tests-Person-1", userId };
}

before(async () => {
  await post("/projects", { id, name: "Boutique" });
  for (const name of [feature, ...others]) await post(`${project}/features`, { name, type: "release" });
  await post(`${inEnvironment("development")}/strategies`, rollout("100"));
  await post(`${inEnvironment("development")}/on`);
  const { id: strategy } = await post(`${inEnvironment("production")}/strategies`, rollout("10"));
  await post(`${inEnvironment("production")}/on`);
  await put(`${inEnvironment("production")}/strategies/${strategy}`, rollout("50"));
  await post(`${inEnvironment("production")}/off`);
  const changed = { name: feature, type: "release", description: "Pays without an account, in one step" };
  await put(`${project}/features/${feature}`, changed);
  lin = await person("lin", 3);
  const permissions = ["APPROVE_CHANGE_REQUEST", "APPLY_CHANGE_REQUEST"].map((name) => ({
    name,
    environment: "production",
  }));
  const { roles } = await post("/roles", { name: "Release managers of the boutique", type: "custom", permissions });
  await post(`${project}/access`, { roles: [roles.id], groups: [], users: [lin.userId] });
});

test("on call: what it was like an hour ago, what differs between environments, and on again", async () => {
  const seen = await pictured(admin);
  const { page, open } = seen;
  await open(`${project}/features/${feature}/rewind`);
  const slider = page.getByRole("slider", { name: "Moment" });
  await slider.focus();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowLeft");
  await page
    .getByRole("region", { name: "production" })
    .getByRole("row", { name: /State different off on/ })
    .waitFor();
  await picture(page, "rewind");

  await open(`${project}/features/${feature}`);
  await page.getByRole("button", { name: "Compare environments" }).click();
  const comparison = page.getByRole("dialog", { name: "Compare environments" });
  await comparison.getByRole("region", { name: "Both environments" }).waitFor();
  await picture(page, "compare");
  await page.keyboard.press("Escape");
  await comparison.waitFor({ state: "hidden" });

  await page.keyboard.press("Control+k");
  await page.getByRole("textbox", { name: "Go to" }).fill(`enable ${feature} in prod`);
  await page.getByRole("button", { name: `Enable ${feature} in production` }).waitFor();
  await picture(page, "palette");
  await page.keyboard.press("Escape");

  await open(`${project}/features?state=IS:active&type=IS_ANY_OF:release`);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByLabel("Save these filters as").fill("Releases under way");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "View: Releases under way" }).click();
  await page.getByRole("link", { name: "Releases under way" }).waitFor();
  await picture(page, "views");
  await assertAtPeace(seen);
});

test("a release manager decides about what others ask for, and schedules it", async () => {
  const { id: group } = await post("/groups", { name: "Boutique team", users: [{ user: { id: lin.userId } }] });
  await put(`${production}/config`, { changeRequestsEnabled: true, requiredApprovals: 1 });
  await put(`${production}/reviewers`, { rules: [{ groups: [group], need: "any" }] });
  const requests = [];
  for (const [name, title] of [
    ["search-by-picture", "Search by picture"],
    [feature, "Launch of the basket"],
  ]) {
    const headers = await sessionOf(await person(`grace-${requests.length + 1}`, 2));
    const call = (method, path, body) => ask(`/api/admin${path}`, { method, body, headers });
    const changes = [
      { feature: name, action: "addStrategy", payload: rollout("25") },
      { feature: name, action: "updateEnabled", payload: { enabled: true } },
    ];
    const { id: number } = await call("POST", production, changes);
    await call("PUT", `${project}/change-requests/${number}/title`, { title });
    await call("PUT", `${project}/change-requests/${number}/state`, { state: "In review", comment: "For Friday" });
    requests.push(number);
  }
  const seen = await pictured(lin);
  const { page, open } = seen;
  await open("/change-requests?whose=decide");
  for (const title of ["Search by picture", "Launch of the basket"])
    await page.getByRole("row").filter({ hasText: title }).waitFor();
  await picture(page, "change-requests");

  const number = requests.at(-1);
  await open(`${project}/change-requests/${number}`);
  await page
    .getByRole("region", { name: "Impact" })
    .getByText(/gain it/)
    .waitFor();
  await picture(page, "change-request");
  await page.getByRole("button", { name: "Approve …" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByRole("button", { name: "Schedule …" }).click();
  const when = page.getByRole("dialog");
  await when.getByRole("button", { name: "Schedule", exact: true }).waitFor();
  await picture(page, "schedule");
  await when.getByRole("button", { name: "Schedule", exact: true }).click();
  await eventually(
    () => ask(`/api/admin${project}/change-requests/${number}`),
    ({ state }) => state === "Scheduled",
  );
  await open("/change-requests?whose=decide");
  await page.getByRole("row").filter({ hasText: "Search by picture" }).waitFor();
  assert.equal(await page.getByRole("row").filter({ hasText: "Launch of the basket" }).count(), 0);
  await assertAtPeace(seen);
});

test("an administrator says who must approve, and when nothing changes", async () => {
  const day = (days) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;
  const freezes = [
    { environment: "production", once: { from: day(3), to: day(6) }, reason: "The sale of the year" },
    { once: { from: day(14), to: day(18) }, reason: "The database moves" },
  ];
  const windows = [];
  for (const freeze of freezes) windows.push(await post("/freeze-windows", freeze));
  try {
    const seen = await pictured(admin);
    const { page, open } = seen;
    await open(`${project}/settings`);
    const reviewers = page.getByRole("form", { name: "Required reviewers in production" });
    await reviewers.getByRole("group", { name: "Rule 1", exact: true }).waitFor();
    await reviewers.evaluate((form) => form.scrollIntoView({ block: "end" }));
    await picture(page, "required-reviewers");
    await open("/settings/freezes");
    for (const { reason } of freezes) await page.getByRole("button", { name: reason, exact: true }).waitFor();
    await picture(page, "freezes");
    await assertAtPeace(seen);
  } finally {
    for (const { id: window } of windows) await ask(`/api/admin/freeze-windows/${window}`, { method: "DELETE" });
  }
});

// The pages of change requests and freezes, with something in every list.
import { ask, sessionOf } from "../api.mjs";

const id = "guarded";
const project = `/api/admin/projects/${id}`;
const production = `${project}/environments/production/change-requests`;
const author = { username: "asks-for-approval", password: "Tests-Author-1" };
const put = (path, body, headers) => ask(path, { method: "PUT", body, headers });
const post = (path, body, headers) => ask(path, { method: "POST", body, headers });
const made = {};

/** Something for every list. */
export async function prepare() {
  await post("/api/admin/projects", { id, name: "Guarded" });
  const { id: user } = await post("/api/admin/user-admin", { ...author, rootRole: 2, sendEmail: false });
  const { id: group } = await post("/api/admin/groups", {
    name: "Owners of what is guarded",
    users: [{ user: { id: user } }],
  });
  await put(`${production}/config`, { changeRequestsEnabled: true, requiredApprovals: 2 });
  await put(`${production}/reviewers`, { rules: [{ groups: [group], need: "any" }] });
  const { id: segment } = await post("/api/admin/segments", { name: "Guarded ones", project: id, constraints: [] });
  const mine = await sessionOf(author);
  for (const feature of ["basket", "search"]) {
    await post(`${project}/features`, { name: `guarded-${feature}`, type: "release" });
    const strategy = {
      name: "flexibleRollout",
      parameters: { rollout: "25", stickiness: "default", groupId: feature },
    };
    const changes = [
      { feature: `guarded-${feature}`, action: "addStrategy", payload: { ...strategy, segments: [segment] } },
      { feature: `guarded-${feature}`, action: "updateEnabled", payload: { enabled: true } },
    ];
    const request = await post(production, changes, mine);
    await put(
      `${project}/change-requests/${request.id}/state`,
      { state: "In review", comment: "please by Friday" },
      mine,
    );
    if (feature === "basket") await put(`${project}/change-requests/${request.id}/state`, { state: "Cancelled" }, mine);
    made.request = request.id;
  }
  const once = { from: "2031-12-20T00:00:00Z", to: "2032-01-03T00:00:00Z" };
  const freeze = { environment: "production", once, reason: "The week before Christmas", exemptRoles: [1] };
  made.freeze = (await post("/api/admin/freeze-windows", freeze)).id;
}

export const pages = {
  "change-requests": { path: () => "/change-requests?whose=all" },
  "change-requests-none": { path: () => "/change-requests" },
  "project-change-requests": { path: () => `/projects/${id}/change-requests` },
  "change-request": { path: () => `/projects/${id}/change-requests/${made.request}` },
  "change-request-missing": { path: () => `/projects/${id}/change-requests/999999` },
  "change-request-settings": { path: () => `/projects/${id}/settings` },
  "guarded-strategy": {
    path: () => `/projects/${id}/features/guarded-search?env=production&strategy=new`,
    dialog: true,
  },
  freezes: { path: () => "/settings/freezes" },
  "freeze-new": { path: () => "/settings/freezes?new=true", dialog: true },
  freeze: { path: () => `/settings/freezes?open=${made.freeze}`, dialog: true },
};

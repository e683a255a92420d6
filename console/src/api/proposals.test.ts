import { expect, it } from "vitest";
import { draftedIn, walledBy, type Guard } from "./guards";
import type { Held } from "./permissions";
import { proposalOf, type Ask } from "./proposals";
import { request, type Planned } from "./request";

const feature = "/api/admin/projects/{projectId}/features/{featureName}";

const place = { projectId: "shop", featureName: "checkout", environment: "production" };
const on = request("post", `${feature}/environments/{environment}/on`, { params: { path: place } });
const archive = request("delete", feature, { params: { path: place } });

const stored: Record<string, unknown> = {
  getFeatureStrategy: {
    id: "s",
    name: "default",
    title: "All",
    sortOrder: 3,
    constraints: [],
    featureName: "checkout",
  },
  getFeature: { dependencies: [{ feature: "basket" }, { feature: "login", enabled: false }] },
};
const ask: Ask = (planned) => Promise.resolve(stored[planned.operation.id] as never);
const changesOf = (planned: Planned) => proposalOf(planned)?.changes(ask);

it("proposes what a call does", async () => {
  expect(await changesOf(on)).toEqual([{ feature: "checkout", action: "updateEnabled", payload: { enabled: true } }]);
  expect(await changesOf(archive)).toEqual([{ feature: "checkout", action: "archiveFeature" }]);
  const many = request("post", "/api/admin/projects/{projectId}/bulk_features/environments/{environment}/off", {
    params: { path: place },
    body: { features: ["a", "b"] },
  });
  expect(await changesOf(many)).toEqual(
    ["a", "b"].map((name) => ({ feature: name, action: "updateEnabled", payload: { enabled: false } })),
  );
});

it("keeps what an update of a strategy leaves as it is", async () => {
  const update = request("put", `${feature}/environments/{environment}/strategies/{strategyId}`, {
    params: { path: { ...place, strategyId: "s" } },
    body: { name: "default", title: "Some" },
  });
  expect(await changesOf(update)).toEqual([
    {
      feature: "checkout",
      action: "updateStrategy",
      payload: { id: "s", name: "default", title: "Some", sortOrder: 3, constraints: [] },
    },
  ]);
});

it("adds the other parents again when one is removed", async () => {
  const removal = request("delete", `${feature}/dependencies/{parent}`, {
    params: { path: { ...place, parent: "basket" } },
  });
  expect(await changesOf(removal)).toEqual([
    { feature: "checkout", action: "deleteDependency" },
    { feature: "checkout", action: "addDependency", payload: { feature: "login", enabled: false } },
  ]);
});

it("proposes changes of segments of a project, and nothing for those of all", async () => {
  const removal = request("delete", "/api/admin/segments/{segmentId}", { params: { path: { segmentId: 7 } } });
  expect(proposalOf(removal)).toBeUndefined();
  expect(await changesOf({ ...removal, of: "shop" })).toEqual([{ action: "deleteSegment", payload: { id: 7 } }]);
});

it("proposes nothing for a dry run", () => {
  const query = { dryRun: true };
  expect(proposalOf({ ...on, init: { params: { path: place, query } } })).toBeUndefined();
});

const guard = (environment: string, type: string, changeRequestEnabled: boolean): Guard => ({
  environment,
  type,
  changeRequestEnabled,
  requiredApprovals: changeRequestEnabled ? 1 : null,
});
const held = (...permissions: string[]): Held =>
  permissions.map((permission) => ({ permission, project: "shop", environment: "production" })) as never;
const guards = [guard("test", "test", true), guard("production", "production", true)];
const open = [guard("test", "test", false), guard("production", "production", false)];

it("drafts where an environment needs approval, for administrators too", () => {
  expect(draftedIn(on, open, [])).toBeUndefined();
  expect(draftedIn(on, guards, [])).toBe("production");
  expect(draftedIn(on, guards, [{ permission: "ADMIN" }])).toBe("production");
});

it("lets those pass who may skip approvals, if they may do it at all", () => {
  expect(draftedIn(on, guards, held("SKIP_CHANGE_REQUEST"))).toBe("production");
  expect(draftedIn(on, guards, held("SKIP_CHANGE_REQUEST", "UPDATE_FEATURE_ENVIRONMENT"))).toBeUndefined();
});

it("puts what has no environment into the draft of production, whoever asks", () => {
  expect(draftedIn(archive, guards, held("SKIP_CHANGE_REQUEST", "DELETE_FEATURE"))).toBe("production");
  expect(draftedIn(archive, guards.slice(0, 1), [])).toBe("test");
  expect(draftedIn(archive, open, [])).toBeUndefined();
});

const project = "/api/admin/projects/{projectId}";
const cloned = request("post", `${feature}/clone`, { params: { path: place }, body: { name: "copy" } });
const moved = request("post", `${feature}/changeProject`, { params: { path: place }, body: { newProjectId: "bank" } });
const removed = request("delete", `${project}/environments/{environment}`, { params: { path: place } });
const admin: Held = [{ permission: "ADMIN" }];

it("says in advance what no change request can hold, and what to do instead", () => {
  for (const call of [cloned, moved, removed]) {
    expect(walledBy(call, open, [])).toBeUndefined();
    expect(walledBy(call, guards, [])).toContain("need approval, and no change request can hold this one.");
  }
  expect(walledBy(moved, guards, [])).toContain("Changes of shop in test need approval");
  expect(walledBy(removed, guards, [])).toContain("Changes of shop in production need approval");
  expect(walledBy(removed, guards.slice(0, 1), [])).toBeUndefined();
  expect(walledBy(cloned, guards, [])).toContain("Create a flag");
  expect(walledBy(on, guards, [])).toBeUndefined();
});

it("lets those pass who pass the server's guard", () => {
  expect(walledBy(removed, guards, held("SKIP_CHANGE_REQUEST"))).toBeUndefined();
  expect(walledBy(moved, guards, held("SKIP_CHANGE_REQUEST"))).toBeDefined();
  expect([removed, moved].map((call) => walledBy(call, guards, admin))).toEqual([undefined, undefined]);
  expect(walledBy(cloned, guards, admin)).toBeDefined();
});

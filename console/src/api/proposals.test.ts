import { expect, it } from "vitest";
import { draftedIn, type Guard } from "./guards";
import type { Held } from "./permissions";
import { proposable, proposalOf, type Ask } from "./proposals";
import { request, type Planned } from "./request";

const sources = import.meta.glob<string>("../{parts,pages}/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Calls below a flag, an environment of a project or a segment that take effect at once, wherever approval is needed. */
const direct = [
  "PATCH …", // names, types and descriptions of flags
  "PUT …",
  "POST …/clone",
  "POST …/changeProject",
  "POST …/lifecycle/complete",
  "POST …/lifecycle/uncomplete",
  "POST …/link",
  "PUT …/link/{linkId}",
  "DELETE …/link/{linkId}",
  "POST …/favorites",
  "DELETE …/favorites",
];
const feature = "/api/admin/projects/{projectId}/features/{featureName}";

/** Every writing call of the console's sources about flags of a project. */
const written = Object.entries(sources).flatMap(([name, source]) =>
  /\.test\./.test(name)
    ? []
    : [...source.matchAll(/request\(\s*"(post|put|patch|delete)",\s*(?:"([^"]+)"|(\w+))/g)].flatMap(
        ([, method, path, variable]) => {
          const found = path ?? new RegExp(`const ${variable} =\\s*"([^"]+)"`).exec(source)?.[1];
          return found?.startsWith(feature) ? [`${method!.toUpperCase()} ${found}`] : [];
        },
      ),
);

it("knows of every call that changes a flag whether it may need approval", () => {
  expect(written.length).toBeGreaterThan(20);
  const known = new Set([...proposable, ...direct.map((one) => one.replace("…", feature))]);
  expect([...new Set(written)].filter((one) => !known.has(one))).toEqual([]);
});

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

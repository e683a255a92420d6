import { expect, it } from "vitest";
import { touches } from "./touches";

const switched = { type: "feature-environment-enabled" as const, project: "shop", featureName: "checkout" };
const features = (query = "") => ["searchFeatures", `/api/admin/search/features${query}`] as const;

it("of a feature: itself, lists of features and events, and figures of its project", () => {
  const touched = [
    ["getFeature", "/api/admin/projects/shop/features/checkout?variantEnvironments=true"],
    ["getProjectOverview", "/api/admin/projects/shop/overview"],
    ["getArchivedFeaturesByProjectId", "/api/admin/archive/features/shop"],
    ["searchEvents", "/api/admin/search/events?limit=8"],
    ["searchEvents", "/api/admin/search/events?feature=IS%3Acheckout"],
    features(),
    features("?project=IS%3Ashop"),
  ] as const;
  for (const [operation, address] of touched) expect(touches(switched, operation, address), address).toBe(true);
});

it("not other features, other projects, or what is no feature", () => {
  const untouched = [
    ["getFeature", "/api/admin/projects/shop/features/search"],
    ["getFeature", "/api/admin/projects/blog/features/checkout-2"],
    ["getProjectOverview", "/api/admin/projects/blog/overview"],
    ["searchEvents", "/api/admin/search/events?feature=IS%3Asearch"],
    ["searchEvents", "/api/admin/search/events?project=IS_ANY_OF%3Ablog%2Cnews"],
    ["getSegments", "/api/admin/segments"],
    ["getMe", "/api/admin/user"],
    ["getProjects", "/api/admin/projects"],
    features("?project=IS%3Ablog"),
  ] as const;
  for (const [operation, address] of untouched) expect(touches(switched, operation, address), address).toBe(false);
});

it("lists of both projects when a feature moves", () => {
  const moved = { type: "feature-project-change" as const, project: "blog", featureName: "checkout" };
  expect(touches(moved, ...features("?project=IS%3Ashop"))).toBe(true);
  expect(touches(moved, "getProjects", "/api/admin/projects")).toBe(true);
});

it("what is neither in a feature nor in a project, by what it is about", () => {
  const segment = { type: "segment-updated" as const, project: null, featureName: null };
  expect(touches(segment, "getSegments", "/api/admin/segments")).toBe(true);
  expect(touches(segment, "getContextFields", "/api/admin/context")).toBe(false);
  expect(touches(segment, ...features())).toBe(false);
});

it("the plan of freezes and what is frozen in each project, by the label of the event", () => {
  for (const label of ["freeze-window-created", "freeze-window-updated", "freeze-window-deleted"]) {
    const changed = { type: "setting-updated" as const, label, project: null, featureName: null };
    expect(touches(changed, "getFreezeWindows", "/api/admin/freeze-windows"), label).toBe(true);
    expect(touches(changed, "getProjectFreeze", "/api/admin/projects/shop/freeze"), label).toBe(true);
    expect(touches(changed, "getProjectOverview", "/api/admin/projects/freeze/overview"), label).toBe(false);
    expect(touches(changed, "getUiConfig", "/api/admin/ui-config"), label).toBe(false);
  }
});

it("the list of directories, when there is another one, and when one creates a user or a group", () => {
  for (const type of [
    "setting-created",
    "setting-updated",
    "setting-deleted",
    "user-created",
    "group-deleted",
  ] as const) {
    const changed = { type, project: null, featureName: null };
    expect(touches(changed, "getScimDirectories", "/api/admin/scim-settings/directories"), type).toBe(true);
  }
  const banner = { type: "banner-created" as const, project: null, featureName: null };
  expect(touches(banner, "getScimDirectories", "/api/admin/scim-settings/directories")).toBe(false);
});

it("who waits for access, by the label of the event", () => {
  for (const step of ["registered", "approved", "rejected"]) {
    const changed = {
      type: "setting-updated" as const,
      label: `user-access-request-${step}`,
      project: null,
      featureName: null,
    };
    expect(touches(changed, "getUserAccessRequests", "/api/admin/user-access-requests"), step).toBe(true);
    expect(touches(changed, "getUiConfig", "/api/admin/ui-config"), step).toBe(false);
  }
});

it("the policy on accounts, what it bounds, and whom it concerns next", () => {
  const changed = { type: "setting-updated" as const, project: null, featureName: null };
  for (const [operation, path] of [
    ["getAccountPolicy", "/account-policy"],
    ["getExpiringUsers", "/account-policy/expiring-users"],
    ["getPats", "/user/tokens"],
    ["getServiceAccountTokens", "/service-account/7/token"],
  ] as const)
    expect(touches(changed, operation, `/api/admin${path}`), path).toBe(true);
  expect(touches(changed, "getServiceAccounts", "/api/admin/service-account")).toBe(false);
  const user = { type: "user-updated" as const, project: null, featureName: null };
  expect(touches(user, "getExpiringUsers", "/api/admin/account-policy/expiring-users")).toBe(true);
  expect(touches(user, "getAccountPolicy", "/api/admin/account-policy")).toBe(false);
});

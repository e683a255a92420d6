import { expect, it } from "vitest";
import { addressOf } from "../../api/request";
import { putBack } from "./putBack";

const event = (type: string, more: object) =>
  ({
    id: 1,
    createdAt: "",
    createdBy: "ada",
    type,
    project: "webshop",
    featureName: "checkout",
    environment: null,
    ...more,
  }) as never;
const strategies = "/api/admin/projects/webshop/features/checkout/environments/production/strategies";

it("takes back a change of a strategy by what it was", () => {
  const preData = { id: "s1", name: "default", title: "all", parameters: {}, featureName: "checkout" };
  const planned = putBack(event("feature-strategy-update", { environment: "production", preData }))!;
  expect([planned.method, addressOf(planned)]).toEqual(["PUT", `${strategies}/s1`]);
  expect(planned.init.body).toEqual({ name: "default", title: "all", parameters: {} });
});

it("removes what was added, and adds what was removed", () => {
  const added = putBack(event("feature-strategy-add", { environment: "production", data: { id: "s1" } }))!;
  const removed = putBack(
    event("feature-strategy-remove", { environment: "production", preData: { id: "s1", name: "default" } }),
  )!;
  expect([added.method, removed.method]).toEqual(["DELETE", "POST"]);
});

it("switches the other way round", () => {
  const planned = putBack(event("feature-environment-enabled", { environment: "production" }))!;
  expect(planned.operation.id).toBe("toggleFeatureEnvironmentOff");
});

it("knows what no single request takes back", () => {
  expect(putBack(event("feature-deleted", {}))).toBeUndefined();
  expect(putBack(event("segment-updated", { featureName: null }))).toBeUndefined();
});

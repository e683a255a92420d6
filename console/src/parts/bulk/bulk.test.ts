import { expect, it } from "vitest";
import { addressOf } from "../../api/request";
import { effects, planned, reversed } from "./bulk";

const features = [
  { project: "a", name: "one" },
  { project: "b", name: "two" },
  { project: "a", name: "three" },
];

it("asks each project once", () => {
  const requests = planned({ kind: "switch", environment: "production", enabled: true }, features, true);
  expect(requests.map((request) => [addressOf(request), request.init.body])).toEqual([
    ["/api/admin/projects/a/bulk_features/environments/production/on?dryRun=true", { features: ["one", "three"] }],
    ["/api/admin/projects/b/bulk_features/environments/production/on?dryRun=true", { features: ["two"] }],
  ]);
});

it("splits what is more than a request may name", () => {
  const many = Array.from({ length: 1001 }, (_, at) => ({ project: "a", name: `f${at}` }));
  const sizes = planned({ kind: "archive" }, many, false).map(
    ({ init }) => (init.body as { features: string[] }).features.length,
  );
  expect(sizes).toEqual([1000, 1]);
});

it("takes back only what changed", () => {
  const [back] = reversed({ kind: "archive" }, features.slice(0, 1));
  expect([back!.operation.id, back!.init.body]).toEqual(["reviveFeatures", { features: ["one"] }]);
});

it("groups the events of a dry run by flag", () => {
  const event = (type: "feature-strategy-add" | "feature-environment-enabled") => ({
    type,
    project: "a",
    featureName: "one",
    environment: "production",
  });
  const answer = { dryRun: true, events: [event("feature-strategy-add"), event("feature-environment-enabled")] };
  expect([...effects([answer])]).toEqual([
    ["a/one", ["feature-strategy-add in production", "feature-environment-enabled in production"]],
  ]);
});

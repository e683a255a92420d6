import { describe, expect, it } from "vitest";
import { addressOf } from "../../api/request";
import { planned, reversed } from "./bulk";
import { inWords, productionOf, verdict } from "./tasks";

const features = [
  { project: "a", name: "one" },
  { project: "b", name: "two" },
  { project: "a", name: "three" },
];
const team = { type: "team", value: "alpha" };
const old = { type: "team", value: "old" };

it("asks each project once", () => {
  const requests = planned({ kind: "switch", environment: "production", enabled: true }, features, true);
  expect(requests.map((request) => [addressOf(request), request.init.body])).toEqual([
    ["/api/admin/projects/a/bulk_features/environments/production/on?dryRun=true", { features: ["one", "three"] }],
    ["/api/admin/projects/b/bulk_features/environments/production/on?dryRun=true", { features: ["two"] }],
  ]);
});

it("moves one by one", () => {
  const requests = planned({ kind: "move", to: "c" }, features, false);
  expect(requests.map((request) => [addressOf(request), request.init.body])).toEqual([
    ["/api/admin/projects/a/features/one/changeProject", { newProjectId: "c" }],
    ["/api/admin/projects/a/features/three/changeProject", { newProjectId: "c" }],
    ["/api/admin/projects/b/features/two/changeProject", { newProjectId: "c" }],
  ]);
});

it("splits what is more than a request may name", () => {
  const many = Array.from({ length: 1001 }, (_, at) => ({ project: "a", name: `f${at}` }));
  const sizes = planned({ kind: "archive" }, many, false).map(
    ({ init }) => (init.body as { features: string[] }).features.length,
  );
  expect(sizes).toEqual([1000, 1]);
});

describe("what takes it back", () => {
  it("names only what changed", () => {
    const [back] = reversed({ kind: "archive" }, features.slice(0, 1));
    expect([back!.operation.id, back!.init.body]).toEqual(["reviveFeatures", { features: ["one"] }]);
  });

  it("leaves tags that were there before", () => {
    const before = [
      { project: "a", name: "had", tags: [team] },
      { project: "a", name: "lacked", tags: [old] },
    ];
    const back = reversed({ kind: "tag", added: [team], removed: [old] }, before);
    expect(back.map(({ init }) => init.body)).toEqual([
      { features: ["had"], tags: { addedTags: [], removedTags: [] } },
      { features: ["lacked"], tags: { addedTags: [old], removedTags: [team] } },
    ]);
  });

  it("moves each to where it was", () => {
    const back = reversed({ kind: "move", to: "c" }, features.slice(1));
    expect(back.map((request) => [addressOf(request), request.init.body])).toEqual([
      ["/api/admin/projects/c/features/two/changeProject", { newProjectId: "b" }],
      ["/api/admin/projects/c/features/three/changeProject", { newProjectId: "a" }],
    ]);
  });
});

describe("words", () => {
  it("count what can, what cannot, and what needs nothing", () => {
    const counts = { changed: 116, same: 0, cannot: 1 };
    expect(verdict({ kind: "archive" }, counts)).toBe("116 can be archived; 1 cannot:");
    expect(inWords({ kind: "archive" }, 116)).toBe("Archive the 116");
    expect(
      verdict({ kind: "switch", environment: "production", enabled: false }, { changed: 3, same: 52, cannot: 0 }),
    ).toBe("3 flags will be switched off in production. 52 are like that already.");
    expect(verdict({ kind: "stale", stale: true }, { changed: 0, same: 2, cannot: 0 })).toBe(
      "Nothing changes. 2 are like that already.",
    );
  });

  it("know which flags are in use in production", () => {
    const feature = {
      ...features[0]!,
      environments: [
        { name: "dev", type: "development", enabled: true },
        { name: "eu", type: "production", enabled: false },
        { name: "us", type: "production", enabled: true },
      ],
    };
    expect(productionOf({ kind: "archive" }, feature)).toEqual(["us"]);
    expect(productionOf({ kind: "switch", environment: "eu", enabled: true }, feature)).toEqual(["eu"]);
    expect(productionOf({ kind: "switch", environment: "dev", enabled: true }, feature)).toEqual([]);
    expect(productionOf({ kind: "tag", added: [team], removed: [] }, feature)).toEqual([]);
  });
});

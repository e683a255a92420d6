import { expect, it } from "vitest";
import { addressOf } from "../../../api/request";
import { sampleEvent as event, sampleStrategy as strategy } from "../../../parts/rewind/sampleEvents";
import { restoring } from "./restoring";
import { settingsInWords, states, type State } from "./state";

const place = (enabled: boolean, ...strategies: object[]) => ({ enabled, strategies, variants: [] }) as never;
const state = (production: never, more: Partial<State> = {}): State => ({
  settings: { description: "now", type: "release", stale: false, impressionData: false },
  tags: ["simple:a"],
  dependencies: [],
  environments: { production },
  ...more,
});
const live = { environment: "production" };

it("goes back event by event to what the events hold", () => {
  const now = state(place(true, strategy("s1", "50")));
  const found = states(now, [
    event("feature-strategy-update", { ...live, data: strategy("s1", "50"), preData: strategy("s1", "10") }),
    event("feature-environment-enabled", live),
    event("feature-strategy-remove", { ...live, preData: strategy("s0", "5", -1) }),
    event("feature-metadata-updated", {
      preData: { description: null, type: "experiment", stale: true, impressionData: true },
    }),
    event("feature-tagged", { data: { type: "simple", value: "a" } }),
    event("feature-strategy-add", { ...live, data: { id: "s1" } }),
  ]);
  const at = (index: number) => found[index]!.state;
  expect(at(1).environments.production!.strategies[0]!.parameters).toEqual({ rollout: "10" });
  expect([at(1).environments.production!.enabled, at(2).environments.production!.enabled]).toEqual([true, false]);
  expect(at(3).environments.production!.strategies.map(({ id }) => id)).toEqual(["s0", "s1"]);
  expect(settingsInWords(at(4))).toMatchObject({ Description: "", Type: "experiment", Stale: "yes", Tags: "simple:a" });
  expect(at(5).tags).toEqual([]);
  expect(at(6).environments.production!.strategies.map(({ id }) => id)).toEqual(["s0"]);
  expect(found.flatMap(({ missing }) => missing)).toEqual([]);
});

it("says what the log does not hold, from there on", () => {
  const found = states(state(place(true)), [
    event("feature-environment-enabled", live),
    event("feature-dependency-removed", { data: { feature: "parent" } }),
    event("feature-strategy-update", { ...live, data: strategy("s1", "50") }),
    event("feature-updated", { label: "feature-link-added" }),
    event("feature-environment-enabled", { environment: "gone" }),
    // An import of an earlier version replaced it without an event.
    event("feature-strategy-add", { ...live, data: strategy("s0", "5") }),
    event("feature-strategy-update", { ...live, data: strategy("s2", "5"), preData: strategy("s2", "1") }),
  ]);
  expect(found.map(({ missing }) => missing.length)).toEqual([0, 0, 1, 2, 2, 3, 4, 4]);
  expect(found[5]!.missing[2]).toContain("gone");
});

it("puts strategies into the order that they had", () => {
  const [, found] = states(state(place(true, strategy("a", "1"), strategy("b", "2"))), [
    event("strategy-order-changed", { ...live, preData: { strategyIds: ["b", "a"] } }),
  ]);
  expect(found!.state.environments.production!.strategies.map(({ id }) => id)).toEqual(["b", "a"]);
});

const calls = (now: State, then: State) =>
  restoring({ project: "shop", name: "f" }, now, then).map((one) => [
    one.operation.id,
    addressOf(one).split("/environments/")[1],
  ]);

it("switches off before all else, and on after it", () => {
  const one = place(true, strategy("s1", "50"), strategy("s2", "7"));
  const other = place(false, strategy("s1", "10"), strategy("s3", "9"));
  expect(calls(state(one), state(other))).toEqual([
    ["toggleFeatureEnvironmentOff", "production/off"],
    ["updateFeatureStrategy", "production/strategies/s1"],
    ["addFeatureStrategy", "production/strategies"],
    ["deleteFeatureStrategy", "production/strategies/s2"],
  ]);
  expect(calls(state(other), state(one)).at(-1)).toEqual(["toggleFeatureEnvironmentOn", "production/on"]);
});

it("asks for nothing where nothing differs, and for an order alone", () => {
  const now = state(place(true, strategy("a", "1", 0), strategy("b", "2", 1)));
  expect(calls(now, structuredClone(now))).toEqual([]);
  expect(calls(now, state(place(true, strategy("b", "2", 0), strategy("a", "1", 1))))).toEqual([
    ["setStrategySortOrder", "production/strategies/set-sort-order"],
  ]);
});

it("restores settings, tags and dependencies", () => {
  const now = state(place(true), { dependencies: [{ feature: "new" }] });
  const then = state(place(true), {
    tags: ["simple:b"],
    dependencies: [{ feature: "old", enabled: false }],
    settings: { ...now.settings, stale: true },
  });
  const planned = restoring({ project: "shop", name: "f" }, now, then);
  expect(planned.map(({ operation }) => operation.id)).toEqual([
    "updateFeature",
    "updateTags",
    "deleteFeatureDependency",
    "addFeatureDependency",
  ]);
  expect(planned[1]!.init.body).toEqual({
    addedTags: [{ type: "simple", value: "b" }],
    removedTags: [{ type: "simple", value: "a" }],
  });
});

import { expect, it } from "vitest";
import { at, eventInProduction as event, sampleStrategy as strategy } from "../../../../parts/rewind/sampleEvents";
import { aspectsOf, isSwitchedOnly, pastOf, type Event, type FlagThen } from "./past";
import { momentsOf } from "./log";
import { restoringSettings, settingsThatDiffer } from "./settings";

const life = (type: string, flag: string) => event(type, flag, { environment: null });
const past = (...events: Event[]) => pastOf("production", events);
const inWords = (flag: FlagThen) => aspectsOf(flag).map(({ what, one, other }) => `${what}: ${one} ← ${other}`);

it("tells by the events alone what differs of each flag", () => {
  const { flags, gone, settings, missing } = past(
    event("feature-environment-disabled", "b"),
    event("feature-strategy-update", "a", { data: strategy("s1", "50"), preData: strategy("s1", "25") }),
    event("feature-environment-variants-updated", "c", {
      data: { variants: [] },
      preData: { variants: [{ name: "x", weight: 1000 }] },
    }),
    event("feature-strategy-update", "a", { data: strategy("s1", "25"), preData: strategy("s1", "10") }),
    event("feature-strategy-remove", "a", { preData: strategy("s0", "5", -1) }),
    event("feature-strategy-add", "a", { data: strategy("s2", "7", 3) }),
  );
  expect(flags.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  expect(inWords(flags[0]!)).toEqual([
    expect.stringContaining("Strategy: 50 %"),
    expect.stringContaining("Strategy: 7 %"),
    expect.stringContaining("5 %"),
    expect.stringContaining("10 %"),
  ]);
  expect(flags[0]!.then.strategies.map((one) => one.id)).toEqual(["s0", "s1"]);
  expect(inWords(flags[1]!)).toEqual(["State: off ← on"]);
  expect(flags.map(isSwitchedOnly)).toEqual([false, true, false]);
  expect([gone, settings, missing, flags.flatMap((flag) => flag.missing)]).toEqual([[], undefined, [], []]);
});

it("leaves out what is as it was again", () => {
  const { flags } = past(
    event("feature-environment-enabled", "a"),
    event("feature-environment-disabled", "a"),
    event("feature-strategy-remove", "b", { preData: strategy("s1", "5") }),
    event("feature-strategy-add", "b", { data: strategy("s1", "5") }),
  );
  expect(flags).toEqual([]);
});

it("sees an order of strategies that no other event is about", () => {
  const { flags } = past(
    event("strategy-order-changed", "a", { data: { strategyIds: ["x", "y"] }, preData: { strategyIds: ["y", "x"] } }),
  );
  expect(inWords(flags[0]!)).toEqual(["Order of strategies: another one ← as it was"]);
  expect(flags[0]!.then.strategies.map((one) => one.id)).toEqual(["y", "x"]);
});

it("tells flags that were created, archived and deleted since", () => {
  const { flags, gone } = past(
    event("feature-environment-enabled", "fresh"),
    life("feature-created", "fresh"),
    life("feature-archived", "fleeting"),
    event("feature-environment-enabled", "fleeting"),
    life("feature-created", "fleeting"),
    life("feature-deleted", "lost"),
    life("feature-archived", "lost"),
    life("feature-archived", "kept"),
    life("feature-created", "plain"),
  );
  expect(flags.map(({ name, isNew, then }) => [name, isNew, then.enabled])).toEqual([["fresh", true, false]]);
  expect(gone.map(({ name, how }) => [name, how])).toEqual([
    ["kept", "archived"],
    ["lost", "deleted"],
  ]);
});

it("says where the log has gaps", () => {
  const revived = past(event("feature-environment-enabled", "a"), life("feature-revived", "a"));
  expect(revived.flags[0]!.missing[0]).toContain("before it was archived");
  const cut = past(
    event("feature-strategy-update", "a", { data: strategy("s1", "5") }),
    event("feature-environment-enabled", "a"),
  );
  expect(cut.flags[0]!.missing[0]).toContain("does not hold what was there before it");
  const left = past(
    event("project-environment-added", null),
    event("project-environment-removed", null),
    event("feature-environment-enabled", "a"),
    event("feature-strategy-add", "a", { data: strategy("s1", "5") }),
  );
  expect([left.missing.length, left.flags]).toEqual([1, []]);
});

it("knows by an import of an earlier version that strategies were replaced without an event", () => {
  const { flags } = past(
    event("features-imported", null, { createdAt: at(30) }),
    event("feature-strategy-add", "a", { createdAt: at(30), data: strategy("new", "5") }),
    event("feature-strategy-add", "b", { createdAt: at(30), data: strategy("told", "5") }),
    event("feature-strategy-remove", "b", { createdAt: at(30), preData: strategy("b0", "9") }),
    event("feature-strategy-add", "a", { createdAt: at(10), data: strategy("old", "1") }),
  );
  const [a, b] = flags;
  expect(a!.now.strategies.map((one) => one.id)).toEqual(["new"]);
  expect(a!.missing).toHaveLength(2);
  expect([b!.then.strategies.map((one) => one.id), b!.missing]).toEqual([["b0"], []]);
});

it("gives the settings of the environment back over what was seen of it", () => {
  const then = { type: "test", enabled: true, sortOrder: 2, requiredApprovals: null };
  const now = { name: "qa", ...then, type: "production", enabled: false, requiredApprovals: 2 } as never;
  const { settings } = past(
    event("environment-updated", null, { data: now, preData: { ...then, enabled: false } }),
    event("environment-updated", null, { data: { ...then, enabled: false }, preData: then }),
  );
  expect(settings).toEqual(then);
  expect(settingsThatDiffer(now, then).map(({ what }) => what)).toEqual([
    "Type",
    "In use",
    "Approvals of new projects",
  ]);
  const planned = restoringSettings(now, then, "v1");
  expect(planned.map(({ operation }) => operation.id)).toEqual(["updateEnvironment", "toggleEnvironmentOn"]);
  expect(planned[0]!.init.body).toEqual({ type: "test", requiredApprovals: null });
  expect(planned.map(({ init }) => init.params?.header)).toEqual([{ "If-Match": "v1" }, undefined]);
  expect(restoringSettings(now, now, "v1")).toEqual([]);
});

it("takes events that one change left together for one moment", () => {
  const events = [
    event("feature-environment-enabled", "a", { createdAt: at(3) }),
    event("feature-environment-enabled", "b", { createdAt: at(3) }),
    event("feature-environment-enabled", "c", { createdAt: at(2) }),
  ];
  const moments = momentsOf(events);
  expect(moments.map(({ events: together }) => together.length)).toEqual([2, 1]);
  expect(moments.map((moment) => moment.id)).toEqual([events[0]!.id, events[2]!.id]);
});

it("works ten thousand events out at once", () => {
  const many = Array.from({ length: 5000 }, (_, at) => [
    event("feature-environment-disabled", `flag-${at}`),
    event("feature-strategy-update", `flag-${at}`, { data: strategy("s", "50"), preData: strategy("s", "10") }),
  ]).flat();
  const began = performance.now();
  expect(past(...many).flags).toHaveLength(5000);
  expect(performance.now() - began).toBeLessThan(2000);
});

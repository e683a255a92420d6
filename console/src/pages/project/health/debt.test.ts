import { describe, expect, it } from "vitest";
import { archivable, debtOf, finding, reasonFor } from "./debt";

const now = new Date("2026-06-30T12:00:00Z");
const ago = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();
const types = [
  { id: "release", name: "Release", lifetimeDays: 40 },
  { id: "experiment", name: "Experiment", lifetimeDays: 90 },
  { id: "kill-switch", name: "Kill switch", lifetimeDays: null },
];
const feature = (changed: object) => ({
  name: "f",
  type: "experiment",
  stale: false,
  createdAt: ago(35),
  lastSeenAt: ago(1),
  environments: [{ name: "production", type: "production", enabled: true }],
  lifecycle: { stage: "pre-live" as const, enteredStageAt: ago(3) },
  ...changed,
});
const off = [{ name: "production", type: "production", enabled: false }];

describe("a reason", () => {
  it.each([
    ["none for what is young and asked for", {}, undefined],
    ["marked", { stale: true }, "stale marked as stale"],
    [
      "completed and on",
      { lifecycle: { stage: "completed", enteredStageAt: ago(5) } },
      "completed completed 5 days ago, and still on",
    ],
    [
      "none for completed and off, but its own",
      { lifecycle: { stage: "completed", enteredStageAt: ago(5) }, environments: off, createdAt: ago(2) },
      undefined,
    ],
    ["over its lifetime", { type: "release", createdAt: ago(82) }, "expired 42 days over the lifetime of Release"],
    ["on the last day of its lifetime", { type: "release", createdAt: ago(40) }, undefined],
    ["no longer asked for", { lastSeenAt: ago(30) }, "unused no evaluations since 2026-05-31"],
    ["never asked for", { lastSeenAt: null }, "never never evaluated in 35 days"],
    ["not asked for yet", { lastSeenAt: null, createdAt: ago(29) }, undefined],
    ["off everywhere", { environments: off }, "off off everywhere, 35 days old"],
    ["settled", { lifecycle: { stage: "live", enteredStageAt: ago(31) } }, "settled on in production for 31 days"],
    [
      "none for what is meant to stay",
      { type: "kill-switch", createdAt: ago(900), lastSeenAt: null, environments: off },
      undefined,
    ],
    ["marked, though meant to stay", { type: "kill-switch", stale: true }, "stale marked as stale"],
  ])("%s", (_, changed, expected) => {
    const reason = reasonFor(feature(changed), types, now);
    expect(reason && `${reason.kind} ${reason.words}`).toBe(expected);
  });

  it("is removed by completing only where applications still need the flag", () => {
    const remedy = (changed: object) => reasonFor(feature(changed), types, now)?.remedy;
    expect(remedy({ lifecycle: { stage: "live", enteredStageAt: ago(31) } })).toBe("complete");
    expect(remedy({ stale: true })).toBe("archive");
  });
});

it("lists the oldest first, and says how many", () => {
  const owed = debtOf(
    [
      feature({ name: "younger", stale: true, createdAt: ago(2) }),
      feature({ name: "fine" }),
      feature({ name: "older", stale: true, createdAt: ago(9) }),
    ],
    types,
    now,
  );
  expect(owed.map(({ feature: { name } }) => name)).toEqual(["older", "younger"]);
  expect(finding(owed, 3)).toBe("2 of 3 flags should go");
  expect(finding([], 3)).toBe("None of 3 flags should go");
});

it("archives together only what nothing that stays depends on", () => {
  const stale = (name: string, children: string[] = []) => feature({ name, stale: true, children });
  const together = (...features: ReturnType<typeof stale>[]) =>
    archivable(debtOf(features, types, now)).map((one) => one.feature.name);
  expect(together(stale("parent", ["child"]), stale("child"))).toEqual(["parent", "child"]);
  expect(together(stale("parent", ["fine"]), stale("other"))).toEqual(["other"]);
  expect(together(stale("grandparent", ["parent"]), stale("parent", ["fine"]), stale("other"))).toEqual(["other"]);
});

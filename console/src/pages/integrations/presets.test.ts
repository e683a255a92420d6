import { expect, it } from "vitest";
import { presetOf, presets } from "./presets";

const named = (label: string) => presets.find((preset) => preset.label === label)!;

it("has in each preset what its name says, and nothing else", () => {
  expect(named("Production changes")).toMatchObject({ isProduction: true });
  expect(named("Production changes").events).toEqual([
    "feature-environment-variants-updated",
    "feature-strategy-update",
    "feature-strategy-add",
    "feature-strategy-remove",
    "strategy-order-changed",
    "feature-environment-enabled",
    "feature-environment-disabled",
  ]);
  expect(named("Access").events).toEqual(
    expect.arrayContaining(["project-access-added", "user-created", "role-updated"]),
  );
  expect(named("Access").events.filter((type) => type.startsWith("feature"))).toEqual([]);
  expect(named("Archive and delete").events).toEqual(
    expect.arrayContaining(["feature-archived", "feature-deleted", "project-deleted", "segment-deleted"]),
  );
  expect(named("Archive and delete").events).not.toContain("user-deleted");
  expect(named("Everything").events).toHaveLength(144);
});

it("knows the preset of events in any order", () => {
  expect(presetOf([...named("Access").events].reverse())?.label).toBe("Access");
  expect(presetOf(["feature-created"])).toBeUndefined();
});

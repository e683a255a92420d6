import { expect, it } from "vitest";
import { operations } from "../../../api/generated/operations";
import type { Schemas } from "../../../api/request";
import { byArea, grant, idle, offered, parseGrant, toggled } from "./matrix";

const named = (...names: string[]) =>
  names.map((name, id) => ({ id, name, displayName: name, type: "project" }) as Schemas["RolePermission"]);

it("puts each permission into one area, the one that it is about", () => {
  const areas = byArea(
    named(
      "UPDATE_FEATURE",
      "UPDATE_FEATURE_ENVIRONMENT",
      "CREATE_FEATURE_STRATEGY",
      "CREATE_STRATEGY",
      "UPDATE_PROJECT",
      "UPDATE_PROJECT_SEGMENT",
      "READ_PROJECT_API_TOKEN",
      "PROJECT_CHANGE_REQUEST_READ",
      "PROJECT_USER_ACCESS_READ",
      "CREATE_ADDON",
    ),
  );
  const where = Object.fromEntries(
    areas.flatMap(({ label, permissions }) => permissions.map(({ name }) => [name, label])),
  );
  expect(where).toEqual({
    UPDATE_FEATURE: "Feature flags",
    UPDATE_FEATURE_ENVIRONMENT: "Switches, strategies and variants",
    CREATE_FEATURE_STRATEGY: "Switches, strategies and variants",
    CREATE_STRATEGY: "Context fields, tag types, strategy types",
    UPDATE_PROJECT: "Projects",
    UPDATE_PROJECT_SEGMENT: "Segments",
    READ_PROJECT_API_TOKEN: "API tokens",
    PROJECT_CHANGE_REQUEST_READ: "Change requests",
    PROJECT_USER_ACCESS_READ: "People",
    CREATE_ADDON: "Applications and others",
  });
});

it("offers what does something, and what the role has already", () => {
  const names = (grants: string[]) =>
    offered(named("UPDATE_FEATURE", "MOVE_FEATURE_TOGGLE", "UPDATE_PROJECT_RELEASE_TEMPLATE"), grants).map(
      ({ name }) => name,
    );
  expect(names([])).toEqual(["UPDATE_FEATURE", "MOVE_FEATURE_TOGGLE"]);
  expect(names(["UPDATE_PROJECT_RELEASE_TEMPLATE"])).toContain("UPDATE_PROJECT_RELEASE_TEMPLATE");
});

it("takes for idle what no operation asks for", () => {
  const asked = Object.values(operations).flatMap(([, , , needs]) => needs.map(({ permission }) => permission));
  expect(asked.filter((name) => idle.test(name))).toEqual([]);
});

it("writes and reads grants, also for environments with signs in their names", () => {
  expect(parseGrant(grant("UPDATE_FEATURE"))).toEqual({ name: "UPDATE_FEATURE" });
  expect(parseGrant(grant("X", "eu.prod~1"))).toEqual({ name: "X", environment: "eu.prod~1" });
});

it("drops single environments once a permission counts everywhere", () => {
  expect(toggled(["X@a", "X@b", "Y@a"], "X", undefined, true)).toEqual(["X", "Y@a"]);
  expect(toggled(["X"], "X", undefined, false)).toEqual([]);
  expect(toggled(["Y"], "X", "a", true)).toEqual(["X@a", "Y"]);
});

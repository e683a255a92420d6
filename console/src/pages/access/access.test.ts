import { expect, it } from "vitest";
import type { Schemas } from "../../api/request";
import { auditRows, inWords, projectHoldings, rootHoldings, sourcesOf } from "./access";

const ada = { id: 2, rootRole: 3, name: "Ada", email: "ada@example.com" };
const groups = [
  { name: "ops", rootRole: 1, userIds: [2, 5] },
  { name: "shop", userIds: [2] },
];
const access = {
  users: [{ id: 2, roles: [4, 6] }],
  groups: [
    { name: "shop", roles: [5], users: [{ user: { id: 2 } }] },
    { name: "other", roles: [4], users: [{ user: { id: 9 } }] },
  ],
} as unknown as Schemas["ProjectAccess"];

it("finds roles that one has by oneself and through groups", () => {
  expect(rootHoldings(ada, groups)).toEqual([{ role: 3 }, { role: 1, group: "ops" }]);
  expect(projectHoldings(ada, access)).toEqual([{ role: 4 }, { role: 6 }, { role: 5, group: "shop" }]);
  expect(inWords({ role: 5, group: "shop" }, new Map([[5, "Member"]]))).toBe("Member through shop");
});

it("says from where a permission is, in the environment that is asked about", () => {
  const granted = new Map([
    [1, [{ name: "ADMIN" }]],
    [4, [{ name: "UPDATE_FEATURE" }]],
    [6, [{ name: "UPDATE_FEATURE_ENVIRONMENT", environment: "development" }]],
  ]);
  const held = [{ role: 4 }, { role: 6 }];
  const asked = { permission: "UPDATE_FEATURE_ENVIRONMENT" };
  expect(sourcesOf({ ...asked, environment: "development" }, held, granted)).toEqual([{ role: 6 }]);
  expect(sourcesOf({ ...asked, environment: "production" }, held, granted)).toEqual([]);
  expect(sourcesOf(asked, held, granted)).toEqual([]);
  expect(sourcesOf(asked, [{ role: 1, group: "ops" }], granted)).toEqual([{ role: 1, group: "ops" }]);
});

it("writes a line per role for the audit", () => {
  const row = {
    person: ada,
    root: [{ role: 3 }],
    projects: [{ id: "webshop", holdings: [{ role: 5, group: "shop" }] }],
  };
  expect(
    auditRows(
      [row],
      [
        { id: 3, name: "Viewer" },
        { id: 5, name: "Member" },
      ],
    ),
  ).toEqual([
    ["person", "email", "project", "role", "through group"],
    ["Ada", "ada@example.com", "*", "Viewer", ""],
    ["Ada", "ada@example.com", "webshop", "Member", "shop"],
  ]);
});

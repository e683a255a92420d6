// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { addressOf } from "../../../api/request";
import { holdersOf, rolesOf } from "./holders";

it("names people by what is known of them, groups first", () => {
  const common = { isAPI: false, imageUrl: "", rootRole: 3, seenAt: null, createdAt: "", addedAt: "", roleId: 4 };
  const found = holdersOf({
    users: [
      { ...common, id: 7, name: "", username: "ada", roles: [4] },
      { ...common, id: 8, roles: [5] },
    ],
    groups: [{ id: 1, name: "crew", createdAt: "", addedAt: "", roleId: 5, roles: [5], users: [] }],
  } as never);
  expect(found.map(({ kind, name, members }) => `${kind} ${name} ${members}`)).toEqual([
    "group crew 0",
    "user ada 1",
    "user user 8 1",
  ]);
});

it("sets roles, and takes somebody out who has none left", () => {
  const some = rolesOf("shop", { kind: "user", id: 7 }, [4, 5]);
  expect([some.method, addressOf(some), some.init.body]).toEqual([
    "PUT",
    "/api/admin/projects/shop/users/7/roles",
    { roles: [4, 5] },
  ]);
  const none = rolesOf("shop", { kind: "group", id: 1 }, []);
  expect([none.method, addressOf(none), none.init.body]).toEqual([
    "DELETE",
    "/api/admin/projects/shop/groups/1/roles",
    undefined,
  ]);
});

import { expect, it } from "vitest";
import { missingOf, neededInWords, requiredOf, type Group } from "./required";

const groups = new Map<number, Group>([
  [1, { id: 1, name: "SRE", members: [10, 11] }],
  [2, { id: 2, name: "Payments", members: [20] }],
  [3, { id: 3, name: "Hidden" }],
]);
const request = (names: string[], approvers: number[]) =>
  ({
    features: names.map((name) => ({ name, changes: [] })),
    approvals: approvers.map((id) => ({ createdBy: { id }, createdAt: "" })),
  }) as never;
const none = new Map<string, string[]>();
const standing = (rule: object, approvers: number[], names = ["shop-cart"], tags = none) =>
  requiredOf(request(names, approvers), [{ need: "any", groups: [], ...rule }], groups, tags)[0];

it("asks one group, or each of them, of those who are in it", () => {
  const both = { groups: [1, 2] };
  for (const [need, approvers, expected] of [
    ["any", [], false],
    ["any", [30], false],
    ["any", [20], true],
    ["each", [20], false],
    ["each", [11, 20], true],
  ] as const) {
    expect(standing({ ...both, need }, [...approvers])?.isMet, `${need} ${approvers.join()}`).toBe(expected);
  }
  expect(missingOf(standing({ ...both, need: "each" }, [20])!)).toEqual(["SRE"]);
  expect(missingOf(standing({ ...both, need: "each" }, [])!)).toEqual([]);
  expect(missingOf(standing({ ...both, need: "any" }, [20])!)).toEqual([]);
});

it("does not claim what it cannot know", () => {
  expect(standing({ groups: [3] }, [])?.isMet).toBe(false);
  expect(standing({ groups: [3] }, [10])?.isMet).toBeUndefined();
  expect(standing({ groups: [1, 3] }, [10])?.isMet).toBe(true);
  expect(standing({ groups: [1, 3], need: "each" }, [20])?.isMet).toBe(false);
  expect(standing({ groups: [9] }, [10])?.groups[0]?.name).toBe("group 9");
});

it("is about flags with a tag or a name, and of unknown tags it may be", () => {
  const owners = { tag: { type: "team", value: "payments" }, groups: [2] };
  const tags = (...of: string[]) => new Map([["shop-cart", of]]);
  expect(standing(owners, [], undefined, tags("team:payments"))?.isMet).toBe(false);
  expect(standing(owners, [], undefined, tags("team:web"))).toBeUndefined();
  expect(standing(owners, [])?.isMet).toBe(false);
  const named = { namePattern: "shop-.*", groups: [2] };
  expect(standing(named, [])?.isMet).toBe(false);
  expect(standing(named, [], ["bank-shop-cart"])).toBeUndefined();
  expect(standing({ ...named, namePattern: "(?P<a>x)" }, [])).toBeDefined();
});

it("says who must approve, also where nobody can", () => {
  const said = (rule: object) => neededInWords(standing(rule, [])!);
  expect(said({ groups: [1] })).toBe("SRE");
  expect(said({ groups: [1, 2] })).toBe("one of SRE, Payments");
  expect(said({ groups: [1, 2], need: "each", namePattern: "shop-.*" })).toBe(
    "each of SRE, Payments (owners of flags whose names match shop-.*)",
  );
  expect(said({ groups: [] })).toContain("nobody can");
  expect(standing({ groups: [] }, [10])?.isMet).toBe(false);
});

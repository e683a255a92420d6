import { expect, it } from "vitest";
import { neededInWords } from "./required";

const names = new Map([
  [1, "SRE"],
  [2, "Payments"],
]);
const said = (rule: object) => neededInWords({ need: "any", groups: [], ...rule }, names);

it("says whose approval is missing, and of which flags", () => {
  expect(said({ groups: [1] })).toBe("SRE");
  expect(said({ groups: [1, 2] })).toBe("one of SRE, Payments");
  expect(said({ groups: [2], tag: { type: "team", value: "payments" } })).toBe(
    "Payments (owners of flags with the tag team:payments)",
  );
  expect(said({ groups: [1, 2], need: "each", namePattern: "shop-.*" })).toBe(
    "each of SRE, Payments (owners of flags whose names match shop-.*)",
  );
});

it("tells a group whose name is not known by its id", () => {
  expect(said({ groups: [9] })).toBe("group 9");
});

it("says where nobody can approve, since the groups are gone", () => {
  expect(said({ groups: [] })).toContain("nobody can approve");
});

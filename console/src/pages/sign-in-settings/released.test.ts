import { expect, it } from "vitest";
import { released } from "./released";

it.each([
  [0, 0, "No user and no group belongs to it."],
  [0, 1, "1 group is then managed by hand. Roles stay."],
  [0, 2, "2 groups are then managed by hand. Roles stay."],
])("says what %i users and %i groups become", (userCount, groupCount, said) => {
  expect(released({ userCount, groupCount })).toBe(said);
});

it("says what has to be done about users from then on", () => {
  expect(released({ userCount: 1, groupCount: 0 })).toMatch(/^1 user is then managed by hand\. .* stay deactivated\.$/);
  expect(released({ userCount: 1200, groupCount: 1 })).toMatch(/^1,200 users and 1 group are then managed by hand\./);
});

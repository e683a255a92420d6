import { expect, it } from "vitest";
import { proposal, proposedBy } from "./proposal";

it.each([
  ["Checkout redesign", "checkout-redesign"],
  ["  Zürich / Genève!  ", "zurich-geneve"],
  ["new_flow.v2", undefined],
  ["--", undefined],
  ["..", undefined],
  ["日本", undefined],
  [`${"x".repeat(99)} y`, "x".repeat(99)],
])("proposes for %s a name that may be in addresses: %s", (typed, proposed) => {
  expect(proposal(typed)).toBe(proposed);
  if (proposed) expect(proposed).toMatch(/^[A-Za-z0-9_.~-]{1,100}$/);
});

it("takes the proposal of the API", () => {
  const message =
    'The /body/name property must not be "." or "..", which clients remove from addresses; "dot" would do.';
  expect(proposedBy(message)).toBe("dot");
  expect(proposedBy("The /body/name property is required.")).toBeUndefined();
});

import { expect, it } from "vitest";
import { placesOf } from "./places";

it("sorts permissions by where they count", () => {
  expect(
    placesOf([
      { permission: "UPDATE_FEATURE_ENVIRONMENT", project: "shop", environment: "dev" },
      { permission: "UPDATE_FEATURE", project: "shop" },
      { permission: "CREATE_FEATURE", project: "shop" },
      { permission: "UPDATE_FEATURE", project: "shop" },
      { permission: "READ_ROLE" },
    ]),
  ).toEqual([
    { place: "Everywhere", allowed: ["READ_ROLE"] },
    { place: "In dev of shop", allowed: ["UPDATE_FEATURE_ENVIRONMENT"] },
    { place: "In shop", allowed: ["CREATE_FEATURE", "UPDATE_FEATURE"] },
  ]);
});

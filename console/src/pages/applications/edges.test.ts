import { expect, test } from "vitest";
import { ageOf } from "./edges";

test("the age of what an edge serves is told in the unit that fits", () => {
  expect([0, 60, 61, 90, 7199, 7200, 86_400].map(ageOf)).toEqual([
    "serves what there is",
    "serves what there is",
    "serves what there was 1 minute before",
    "serves what there was 2 minutes before",
    "serves what there was 120 minutes before",
    "serves what there was 2 hours before",
    "serves what there was 24 hours before",
  ]);
});

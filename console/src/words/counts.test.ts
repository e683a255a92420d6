import { expect, it } from "vitest";
import { counted, number } from "./counts";

it("separates thousands, and knows one from many", () => {
  expect(number(10_356)).toBe("10,356");
  expect(counted(1, "day")).toBe("1 day");
  expect(counted(0, "day")).toBe("0 days");
  expect(counted(2_850, "feature flag")).toBe("2,850 feature flags");
  expect(counted(1, "person", "people")).toBe("1 person");
  expect(counted(39, "person", "people")).toBe("39 people");
});

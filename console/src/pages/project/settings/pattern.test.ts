import { expect, it } from "vitest";
import { fits } from "./pattern";

it("tries names against the whole of a pattern", () => {
  expect(fits("[a-z]+\\.[a-z-]+", "shop.new-layout")).toEqual({ fits: true });
  expect(fits("[a-z]+", "shop.new")).toEqual({ fits: false });
  expect(fits("a|b", "ab")).toEqual({ fits: false });
  expect(fits("", "anything")).toEqual({ fits: true });
  expect(fits("[a-", "a").objection).toMatch(/regular expression/);
});

import { expect, it } from "vitest";
import { conditionInWords, stateOf } from "./conditions";

it("says what a parent must be, as it is sent", () => {
  expect(conditionInWords(stateOf("on", ["blue"]))).toBe("being on");
  expect(conditionInWords(stateOf("off", ["blue"]))).toBe("being off");
  expect(conditionInWords(stateOf("variant", ["blue", "green"]))).toBe("being on with blue or green");
  expect(conditionInWords({})).toBe("being on");
});

it("sends no variants of a parent that must be off", () => {
  expect(stateOf("off", ["blue"])).toEqual({ enabled: false });
  expect(stateOf("on", ["blue"])).toEqual({ enabled: true, variants: [] });
});

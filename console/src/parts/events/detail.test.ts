import { expect, it } from "vitest";
import { detailOf, settingsChanged } from "./detail";

it.each([
  [{ parameters: { rollout: "10" } }, { parameters: { rollout: "50" } }, "rollout 10 → 50 %"],
  [{ description: "x".repeat(40) }, { description: "new" }, "description"],
  [
    { type: "release", impressionData: false },
    { type: "experiment", impressionData: true },
    "type release → experiment, impression data on",
  ],
  [{ title: null }, { title: "staff" }, "title none → staff"],
  [{ constraints: [] }, { constraints: [{ contextName: "userId" }] }, "constraints"],
  [{ id: 1, createdAt: "a" }, { id: 2, createdAt: "b" }, undefined],
  [{ a: 1, b: 1, c: 1, d: 1 }, { a: 2, b: 2, c: 2, d: 2 }, "a 1 → 2, b 1 → 2, c 1 → 2, 1 more"],
  [null, { a: 1 }, undefined],
])("says which settings changed from %j to %j", (preData, data, words) => {
  expect(settingsChanged({ preData, data })).toBe(words);
});

it("says which parent, with what is asked of it", () => {
  const of = (data: object) => detailOf("feature-dependency-added", { data, preData: null } as never);
  expect(of({ feature: "base" })).toBe("base");
  expect(of({ feature: "base", enabled: false })).toBe("base must be off");
  expect(of({ feature: "base", enabled: true, variants: ["red", "blue"] })).toBe("base with red or blue");
});

it("says which variants there are then", () => {
  const of = (...names: string[]) => ({ variants: names.map((name) => ({ name })) });
  const say = (preData: object, data: object) =>
    detailOf("feature-environment-variants-updated", { preData, data } as never);
  expect(say(of(), of("red", "blue"))).toBe("none → red, blue");
  expect(say(of("red"), of("red"))).toBe("weights or values of red");
});

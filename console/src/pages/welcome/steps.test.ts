import { expect, it } from "vitest";
import { next } from "./steps";

it("leads through the steps in order, to the first that is not done", () => {
  const facts = { project: false, feature: false, asked: false, evaluated: false };
  expect(next(facts)).toBe("project");
  expect(next({ ...facts, project: true })).toBe("feature");
  expect(next({ ...facts, project: true, feature: true })).toBe("asked");
  expect(next({ ...facts, project: true, feature: true, asked: true })).toBe("evaluated");
  expect(next({ project: true, feature: true, asked: true, evaluated: true })).toBeUndefined();
});

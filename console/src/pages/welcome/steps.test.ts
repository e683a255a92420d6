import { expect, it } from "vitest";
import { next } from "./steps";

it("leads through the steps in order, past those that are done", () => {
  const facts = { projects: 0, features: 0, isOn: false, programs: 0 };
  expect(next(facts)).toBe("project");
  expect(next({ ...facts, projects: 1 })).toBe("feature");
  expect(next({ ...facts, projects: 1, features: 2 })).toBe("connect");
  expect(next({ ...facts, projects: 1, features: 2, isOn: true })).toBe("connect");
  expect(next({ ...facts, projects: 1, features: 2, programs: 1 })).toBe("switch");
  expect(next({ ...facts, projects: 1, features: 2, programs: 1, isOn: true })).toBeUndefined();
});

import { expect, it } from "vitest";
import { resolve } from "./keys";

const known = ["n", "g f", "g h", "/"];

it("waits for the second key of a sequence", () => {
  expect(resolve("", "g", known)).toEqual({ pending: "g" });
  expect(resolve("g", "f", known)).toEqual({ run: "g f", pending: "" });
});

it("begins anew after a key that continues nothing", () => {
  expect(resolve("g", "n", known)).toEqual({ run: "n", pending: "" });
  expect(resolve("g", "x", known)).toEqual({ pending: "" });
});

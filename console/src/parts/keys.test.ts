// @vitest-environment happy-dom
import { createElement, useLayoutEffect } from "react";
import { createRoot } from "react-dom/client";
import { expect, it, vi } from "vitest";
import { resolve, useKeys } from "./keys";

const known = ["n", "g f", "g h", "/"];

it("waits for the second key of a sequence", () => {
  expect(resolve("", "g", known)).toEqual({ pending: "g" });
  expect(resolve("g", "f", known)).toEqual({ run: "g f", pending: "" });
});

it("begins anew after a key that continues nothing", () => {
  expect(resolve("g", "n", known)).toEqual({ run: "n", pending: "" });
  expect(resolve("g", "x", known)).toEqual({ pending: "" });
});

it("hears a key as soon as what binds it is shown", async () => {
  const run = vi.fn();
  await new Promise<void>((shown) => {
    function Bound() {
      useKeys({ n: { does: "New", run } });
      return null;
    }
    function Person() {
      useLayoutEffect(() => {
        document.dispatchEvent(new KeyboardEvent("keydown", { key: "n" }));
        shown();
      }, []);
      return null;
    }
    createRoot(document.body).render([createElement(Bound, { key: 1 }), createElement(Person, { key: 2 })]);
  });
  expect(run).toHaveBeenCalledOnce();
});

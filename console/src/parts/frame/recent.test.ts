import { expect, it } from "vitest";
import { isSameThing, nameOfPage, withVisit } from "./recent";

it("keeps each page once, the newest first, and not too many", () => {
  const pages = Array.from({ length: 12 }, (_, at) => ({ to: `/${at}`, name: `${at}` }));
  const kept = pages.reduce<typeof pages>((before, visit) => withVisit(before, visit), []);
  expect(kept).toHaveLength(8);
  expect(kept[0]!.to).toBe("/11");
  const again = withVisit(kept, { to: "/9", name: "renamed" });
  expect(again.slice(0, 2).map(({ name }) => name)).toEqual(["renamed", "11"]);
  expect(again.filter(({ to }) => to === "/9")).toHaveLength(1);
});

it("calls a page as its window does", () => {
  expect(nameOfPage("checkout · Flagstone")).toBe("checkout");
  expect(nameOfPage("Flagstone")).toBe("");
});

it("knows the tabs of one thing from other pages", () => {
  expect(isSameThing("/projects/shop", "/projects/shop/health")).toBe(true);
  expect(isSameThing("/projects/shop/features/a", "/projects/shop/features/a/history")).toBe(true);
  expect(isSameThing("/projects/shop/features", "/projects/shop/features/a")).toBe(false);
  expect(isSameThing("/projects/shop/features/a", "/projects/shop/features/b")).toBe(false);
  expect(isSameThing("/features", "/history")).toBe(false);
});

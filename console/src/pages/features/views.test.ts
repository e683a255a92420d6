import { expect, it } from "vitest";
import { currentView, viewOf, withView, withoutView } from "./views";

const stale = viewOf("Stale", undefined, { state: "IS:stale", offset: "100", new: "true", tag: undefined });
const mine = viewOf("Mine", "shop", { createdBy: "IS_ANY_OF:1" });

it("keeps filters and order, and nothing of one visit", () => {
  expect(stale.search).toEqual({ state: "IS:stale" });
});

it("has each name once, in order", () => {
  const views = withView(withView([], stale), mine);
  expect(views.map(({ name }) => name)).toEqual(["Mine", "Stale"]);
  const changed = withView(views, viewOf("Stale", undefined, { state: "IS:active" }));
  expect(changed.map(({ search }) => search.state)).toEqual([undefined, "IS:active"]);
  expect(withoutView(changed, "Stale")).toEqual([mine]);
});

it("knows the one that is shown, on whatever page of the list", () => {
  const views = [mine, stale];
  expect(currentView(views, undefined, { offset: "100", state: "IS:stale" })).toBe(stale);
  expect(currentView(views, "shop", { state: "IS:stale" })).toBeUndefined();
  expect(currentView(views, "shop", { createdBy: "IS_ANY_OF:1" })).toBe(mine);
});

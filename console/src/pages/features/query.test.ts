import { expect, it } from "vitest";
import { isNarrowed, searchOf, searchRequest } from "./query";
import { addressOf } from "../../api/request";

it("makes a request of an address, and nothing of what it does not know", () => {
  const query = searchOf({ query: "check", status: ["production:enabled"], new: "", sortOrder: "sideways" });
  expect(addressOf(searchRequest(query))).toBe(
    "/api/admin/search/features?query=check&status=production%3Aenabled&sortBy=createdAt&sortOrder=desc&favoritesFirst=true&offset=0&limit=100",
  );
});

it("asks for the stage that the address names", () => {
  expect(addressOf(searchRequest(searchOf({ lifecycle: "IS:archived" })))).toContain("lifecycle=IS%3Aarchived&");
});

it("asks for favourites and for the last use, and for nothing else than true", () => {
  const asked = (favorites: string) =>
    addressOf(searchRequest(searchOf({ favorites, lastSeenAt: "IS_BEFORE:2026-01-31" })));
  expect(asked("true")).toContain("lastSeenAt=IS_BEFORE%3A2026-01-31&favorites=true&");
  expect(asked("yes")).not.toContain("favorites=");
  expect(isNarrowed({ favorites: "true" })).toBe(true);
});

it("stays in the project of its page", () => {
  expect(searchOf({ project: "IS:other" }, "webshop").project).toBe("IS:webshop");
});

it("knows whether anything narrows the list", () => {
  expect(isNarrowed({ sortBy: "name", query: "" })).toBe(false);
  expect(isNarrowed({ status: ["a:enabled"] })).toBe(true);
});

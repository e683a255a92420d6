import { expect, it } from "vitest";
import { parseSearch, safeDestination, stringifySearch } from "./address";

it("keeps texts as they are, and names that come twice", () => {
  const search = { project: "IS:webshop", status: ["development:enabled", "production:disabled"], query: "100% & <b>" };
  expect(parseSearch(stringifySearch(search))).toEqual(search);
  expect(stringifySearch({ query: "", offset: undefined })).toBe("");
});

it.each([
  ["/console/features?query=a", "/features?query=a"],
  ["features", "/features"],
  [undefined, "/"],
  ["//elsewhere.example/console/", "/"],
  ["https://elsewhere.example/console/", "/"],
  ["/docs/", "/"],
  ["/console/../docs/", "/"],
  ["javascript:alert(1)", "/"],
  ["/consolex", "/"],
  ["\\\\elsewhere.example", "/"],
])("leads from %s to %s", (to, expected) => {
  expect(safeDestination(to, "https://flags.example.com/console/")).toBe(expected);
});

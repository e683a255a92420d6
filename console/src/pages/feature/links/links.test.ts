import { expect, it } from "vitest";
import { addressOf } from "../../../api/request";
import { changing, filled, templateObjection, urlObjection } from "./links";

const feature = { project: "shop", name: "check-$&-out" };

it.each([
  ["https://tickets.example.com/7", true],
  ["tickets.example.com/browse/SHOP-7", true],
  ["localhost:8080/x", true],
  ["", false],
  ["javascript:alert(1)", false],
  ["ftp://example.com", false],
  ["https://ada:secret@example.com", false],
  ["https://", false],
])("takes %s for an address: %s", (url, isRight) => {
  expect(urlObjection(url) === undefined).toBe(isRight);
});

it("fills templates with names as they are", () => {
  const template = { title: "Board", urlTemplate: "https://example.com/{{project}}?q={{feature}}" };
  expect(filled(template, feature)).toEqual({ title: "Board", url: "https://example.com/shop?q=check-$&-out" });
  expect(templateObjection("{{feature}}://x")).toBeDefined();
  expect(templateObjection("https://example.com/{{feature}}")).toBeUndefined();
});

it("has no title rather than an empty one", () => {
  const planned = changing(feature, "1", { url: " https://example.com ", title: " " });
  expect(planned.init.body).toEqual({ url: "https://example.com", title: null });
  expect(addressOf(planned)).toBe("/api/admin/projects/shop/features/check-%24%26-out/link/1");
});

import { expect, it } from "vitest";
import { orderIn } from "./order";

it.each([
  ["disable checkout in production", { enabled: false, flag: "checkout", environment: "production" }],
  ["Enable checkout", { enabled: true, flag: "checkout", environment: "" }],
  ["switch off checkout in Prod", { enabled: false, flag: "checkout", environment: "prod" }],
  ["turn on checkout in ", { enabled: true, flag: "checkout", environment: "" }],
  ["enable", undefined],
  ["enable-checkout", undefined],
  ["checkout in production", undefined],
  ["disable two words", undefined],
])("understands %s", (text, order) => {
  expect(orderIn(text)).toEqual(order);
});

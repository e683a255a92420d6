import { expect, it } from "vitest";
import { columnsOf, mostColumns, productionLast } from "./environments";

const many = Array.from({ length: 50 }, (_, at) => ({ name: `e${at}`, type: at === 49 ? "production" : "test" }));
const names = (chosen?: string, of = many) => columnsOf(of, chosen).map(({ name }) => name);

it("shows all where they fit", () => {
  expect(names(undefined, many.slice(0, mostColumns))).toHaveLength(mostColumns);
});

it("shows the first of many, and never leaves production out", () => {
  expect(names()).toEqual(["e0", "e1", "e2", "e3", "e4", "e49"]);
});

it("shows what the address names, as far as it is there", () => {
  expect(names("e7,gone,e8")).toEqual(["e7", "e8"]);
  expect(names("gone")).toHaveLength(mostColumns);
});

it("puts production at the end, and else keeps the order", () => {
  const some = [many[49]!, many[3]!, many[2]!];
  expect(productionLast(some).map(({ name }) => name)).toEqual(["e3", "e2", "e49"]);
});

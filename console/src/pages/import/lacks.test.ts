// @vitest-environment happy-dom
import { expect, it } from "vitest";
import type { Data } from "./file";
import { besides, lacks, withoutEffect, type There } from "./lacks";

const data = {
  features: [],
  tagTypes: [],
  featureStrategies: [
    { name: "city", parameters: { place: "Oslo" }, segments: [1] },
    { name: "city", parameters: { radius: "5" }, segments: [2] },
    { name: "default" },
  ],
  segments: [
    { id: 1, name: "alpine" },
    { id: 1, name: "alpine" },
    { id: 2, name: "ours" },
  ],
  contextFields: [
    { name: "region", legalValues: [{ value: "amer" }, { value: "emea" }] },
    { name: "new", legalValues: [{ value: "a" }] },
    { name: "free", legalValues: [{ value: "a" }] },
  ],
} as Data;
const there: There = {
  project: "shop",
  segments: [
    { name: "alpine", project: "another" },
    { name: "ours", project: "shop" },
  ],
  strategies: [{ name: "default" }],
  fields: [{ name: "region", description: "Where", legalValues: [{ value: "amer" }] }, { name: "free" }],
  environments: ["development"],
};

it("finds each thing that is missing once, and what creates it", () => {
  const found = lacks(data, "staging", there);
  expect(found.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "environment staging",
    "strategy type city",
    "context field region",
    "segment alpine",
  ]);
  expect(found[1]!.request.init.body).toMatchObject({
    name: "city",
    parameters: [{ name: "place" }, { name: "radius" }],
  });
  expect(found[2]!.request.init.body).toMatchObject({
    description: "Where",
    legalValues: [{ value: "amer" }, { value: "emea" }],
  });
  expect(lacks({ ...data, featureStrategies: [], segments: [], contextFields: [] }, "development", there)).toEqual([]);
});

it("disables the strategies that apply a segment without its constraints, and no others", () => {
  const made = withoutEffect(data, new Set(["alpine"]));
  expect(made.featureStrategies.map(({ disabled }) => disabled)).toEqual([true, undefined, undefined]);
  expect(withoutEffect(data, new Set())).toBe(data);
});

it("leaves out of the findings what is told already, and repetitions", () => {
  const findings = [
    { message: "Segments:", affectedItems: ["alpine", "alpine"] },
    { message: "Features:", affectedItems: ["a", "a", "b"] },
    { message: "Too many.", affectedItems: [] },
  ];
  expect(
    besides(findings, lacks(data, "staging", there)).map(({ message, affectedItems }) => [message, affectedItems]),
  ).toEqual([
    ["Features:", ["a", "b"]],
    ["Too many.", []],
  ]);
});

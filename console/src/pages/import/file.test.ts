import { expect, it } from "vitest";
import { byFeature, inWords, read } from "./file";

const data = { features: [{ name: "a" }], featureStrategies: [], tagTypes: [] };

it("takes an export, alone or within a body", () => {
  expect(read(JSON.stringify(data)).data).toEqual(data);
  expect(read(JSON.stringify({ project: "p", environment: "e", data })).data).toEqual(data);
});

it.each([
  ["{", /no JSON/],
  ["7", /no export of flags/],
  ["null", /no export of flags/],
  ['{"features":[]}', /no featureStrategies, no tagTypes/],
  ['{"data":null}', /no export/],
])("says why %s is none", (text, objection) => {
  expect(read(text).objection).toMatch(objection);
});

it("says what it holds, and what it would do to each flag", () => {
  expect(inWords({ ...data, featureTags: [{}, {}] } as never)).toBe("1 flag, 2 tags");
  const change = (type: string, featureName: string, environment: string | null = null) =>
    ({ type, featureName, environment, project: "p" }) as never;
  expect([
    ...byFeature([
      change("feature-created", "a"),
      change("feature-strategy-add", "a", "production"),
      change("feature-strategy-add", "a", "production"),
      change("feature-tagged", "b"),
    ]),
  ]).toEqual([
    ["a", ["feature-created", "feature-strategy-add in production"]],
    ["b", ["feature-tagged"]],
  ]);
});

import { expect, it } from "vitest";
import { addressOf } from "../../../api/request";
import { sampleEvent as event } from "../../../parts/rewind/sampleEvents";
import { differs } from "../../feature/compare/comparison";
import { filtersOf, partsOf, states } from "./past";

const document = (more: object = {}) => ({
  id: "shop",
  name: "Shop",
  description: null,
  mode: "open",
  defaultStickiness: "default",
  featureLimit: null,
  featureNaming: { pattern: null, example: null, description: null },
  archivedAt: null,
  ...more,
});
const strategy = (rollout: string) => ({
  name: "flexibleRollout",
  parameters: { rollout, stickiness: "default", groupId: "" },
  constraints: [],
  segments: [],
  variants: [],
});
const overview = (more: object = {}, environments: object[] = [{ environment: "production" }]) =>
  ({ ...document(), linkTemplates: [], ...more, environments }) as never;
const live = { environment: "production" };
const around = { projectId: "shop", segments: new Map<number, string>(), known: new Set(["production", "test"]) };

const calls = (now: never, events: Parameters<typeof states>[1]) => {
  const found = states(now, events);
  return partsOf(found[0]!.state, found.at(-1)!.state, around)
    .filter(({ planned }) => planned)
    .map(({ planned }) => [planned!.operation.id, addressOf(planned!).split("/projects/")[1], planned!.init.body]);
};

it("goes back to the settings that the events hold", () => {
  const link = { title: null, urlTemplate: "https://example.com/{{feature}}" };
  const now = overview({ name: "Store", featureLimit: 5, linkTemplates: [link] });
  const events = [
    event("project-updated", { preData: document({ name: "Store", featureLimit: 5 }) }),
    event("project-updated", { preData: document({ name: "Store" }) }),
    event("project-updated", { preData: document({ mode: "private" }) }),
    event("project-created", { data: document({ mode: "private" }) }),
  ];
  const found = states(now, events);
  expect(found.map(({ state }) => state.general.name)).toEqual(["Store", "Store", "Store", "Shop", "Shop"]);
  expect(found.map(({ state }) => state.rules.featureLimit)).toEqual(["5", "5", "", "", ""]);
  expect(found.map(({ state }) => state.links.templates.length)).toEqual([1, 0, 0, 0, 0]);
  expect(found.flatMap(({ missing }) => missing)).toEqual([]);
  const rows = partsOf(found[0]!.state, found[3]!.state, around).flatMap((part) => part.rows.filter(differs));
  expect(rows).toEqual([
    { what: "Name", one: "Store", other: "Shop" },
    { what: "Who sees it", one: "open", other: "private" },
    { what: "Most flags", one: "5", other: "no limit" },
    { what: "Links of new flags", one: "https://example.com/{{feature}}", other: "" },
  ]);
  expect(calls(now, events)).toEqual([
    ["updateProject", "shop", { name: "Shop", description: "", mode: "private", defaultStickiness: "default" }],
    [
      "updateProjectEnterpriseSettings",
      "shop/settings",
      { featureLimit: null, featureNaming: { pattern: "", example: "", description: "" } },
    ],
    ["updateProjectEnterpriseSettings", "shop/settings", { linkTemplates: [] }],
  ]);
});

it("puts back default strategies, and environments that the project left, with what flags began with there", () => {
  const now = overview({}, [{ environment: "production", defaultStrategy: strategy("50") }]);
  const events = [
    event("default-strategy-updated", { ...live, data: strategy("50"), preData: strategy("10") }),
    event("project-environment-removed", { environment: "test" }),
    event("default-strategy-updated", { environment: "test", data: strategy("7") }),
    event("project-environment-added", { environment: "test" }),
  ];
  const found = states(now, events);
  expect(found.map(({ state }) => Object.keys(state.environments).length)).toEqual([1, 1, 2, 2, 1]);
  expect(found[2]!.state.environments.test!.parameters!.rollout).toBe("7");
  expect(found[3]!.state.environments.test).toBeNull();
  expect(found[2]!.missing).toEqual(["What its flags had in test before the project left it is not in the event log."]);
  const put = calls(now, events.slice(0, 2));
  expect(put.map(([id, address]) => [id, address])).toEqual([
    ["addDefaultStrategyToProjectEnvironment", "shop/environments/production/default-strategy"],
    ["addEnvironmentToProject", "shop/environments"],
  ]);
});

it("takes no environment away, and cannot add one that was deleted", () => {
  const now = overview({}, [{ environment: "production" }, { environment: "test" }]);
  const [, added, removed] = states(now, [
    event("project-environment-added", { environment: "test" }),
    event("project-environment-removed", { environment: "gone" }),
  ]);
  const parts = partsOf(states(now, [])[0]!.state, removed!.state, around);
  expect(added!.state.environments).toEqual({ production: undefined });
  expect(parts.filter(({ planned }) => planned)).toEqual([]);
  expect(parts.filter(({ because }) => because).map(({ title }) => title)).toEqual(["test", "gone"]);
});

it("lists what happened to members, and leaves them as they are", () => {
  const [, found] = states(overview(), [event("project-user-added", { data: {} })]);
  expect(found!.state.members).toHaveLength(1);
  expect(calls(overview(), [event("project-user-added")])).toEqual([]);
  expect(filtersOf("shop").project).toBe("IS:shop");
});

it("says where an event does not hold the settings before it", () => {
  const [, found] = states(overview(), [event("project-updated", { data: document() })]);
  expect(found!.missing).toEqual(["An event does not hold the settings before it."]);
});

import { describe, expect, it } from "vitest";
import { Refusal } from "../../api/refusal";
import type { Planned } from "../../api/request";
import { effectsOf, trial, type Ask } from "./trial";

const everything = [{ permission: "ADMIN" as const }];
const flag = (name: string, more: object = {}) => ({ project: "a", name, ...more });
const archive = { kind: "archive" as const };

interface Server {
  children?: Record<string, string[]>;
  dependencies?: Record<string, string[]>;
  /** In another project by now. */
  strays?: string[];
  /** Environments that need approval. */
  guarded?: { environment: string; type: string; changeRequestEnabled: boolean }[];
}

/** As the server answers, with how often it was asked. */
function server({ children = {}, dependencies = {}, strays = [], guarded = [] }: Server) {
  const asked: string[] = [];
  const answer = ({ operation, init }: Planned): unknown => {
    if (operation.id === "getProjectChangeRequestConfig") return guarded;
    asked.push(operation.id);
    if (operation.id === "getFeature") {
      const name = String(init.params?.path?.featureName);
      const depended = (dependencies[name] ?? []).map((feature) => ({ feature }));
      return { children: children[name] ?? [], dependencies: depended };
    }
    const { features } = init.body as { features: string[] };
    if (features.some((name) => strays.includes(name)))
      throw new Refusal(403, { id: "1", name: "InvalidOperationError", message: "It belongs to another project." });
    if (operation.id === "validateArchiveFeatures") {
      const stays = (name: string) => (children[name] ?? []).some((child) => !features.includes(child));
      return { parentsWithChildFeatures: features.filter(stays), hasDeletedDependencies: false };
    }
    const events = features.flatMap((featureName) =>
      ["feature-dependencies-removed", "feature-archived"].map((type) => ({ type, project: "a", featureName })),
    );
    return { dryRun: true, events };
  };
  const ask: Ask = (planned) => new Promise((resolve) => resolve(answer(planned) as never));
  return { ask, asked };
}

describe("flags to archive", () => {
  it("leave out a parent of one that stays, and name that one", async () => {
    const { ask } = server({ children: { parent: ["child"] } });
    const found = await trial(archive, [flag("free"), flag("parent")], everything, ask);
    expect(found.can.map(({ name }) => name)).toEqual(["free"]);
    expect(found.cannot).toEqual([
      { feature: { project: "a", name: "parent" }, reason: "child depends on it.", children: [flag("child")] },
    ]);
  });

  it("go with their children, or not at all", async () => {
    const { ask } = server({ children: { grandparent: ["parent"], parent: ["child"] } });
    const family = [flag("grandparent"), flag("parent")];
    expect((await trial(archive, family, everything, ask)).can).toEqual([]);
    expect((await trial(archive, [...family, flag("child")], everything, ask)).cannot).toEqual([]);
  });

  it("leave out those of another project, found among many with few questions", async () => {
    const { ask, asked } = server({ strays: ["f321"] });
    const many = Array.from({ length: 1000 }, (_, at) => flag(`f${at}`));
    const found = await trial(archive, many, everything, ask);
    expect(found.can).toHaveLength(999);
    expect(found.cannot).toEqual([{ feature: flag("f321"), reason: "It belongs to another project." }]);
    expect(asked.length).toBeLessThan(30);
  });

  it("tell of a dependency only where there is one", async () => {
    const { ask } = server({ dependencies: { child: ["parent"] } });
    const { effects } = await trial(
      archive,
      [flag("child", { dependencyType: "child" }), flag("free")],
      everything,
      ask,
    );
    expect([...effects]).toEqual([
      ["a/child", ["archived", "no longer depends on parent"]],
      ["a/free", ["archived"]],
    ]);
  });
});

it("leaves out flags with dependencies when they move, and those that are there need nothing", async () => {
  const { ask, asked } = server({});
  const found = await trial(
    { kind: "move", to: "b" },
    [flag("free"), flag("bound", { dependencyType: "child" }), { project: "b", name: "there" }],
    everything,
    ask,
  );
  expect(found.cannot.map(({ feature, reason }) => [feature.name, reason])).toEqual([
    ["bound", "It depends on another flag."],
  ]);
  expect([...found.effects.keys()]).toEqual(["a/free"]);
  expect(asked).toEqual([]);
});

it("asks for the permission in both projects of a move", async () => {
  const held = [{ permission: "MOVE_FEATURE_TOGGLE" as const, project: "a" }];
  const { ask } = server({});
  const found = await trial({ kind: "move", to: "b" }, [flag("one")], held, ask);
  expect(found.can).toEqual([]);
  expect(found.cannot[0]!.reason).toContain("in b");
});

it("fails as a whole when the server does", async () => {
  const ask: Ask = () => Promise.reject(new Refusal(503, { id: "1", name: "UnavailableError", message: "later" }));
  await expect(trial(archive, [flag("one")], everything, ask)).rejects.toThrow("later");
});

it("groups the events of a dry run by flag, each said once", () => {
  const event = (type: "feature-strategy-add" | "feature-environment-enabled" | "feature-metadata-updated") => ({
    type,
    project: "a",
    featureName: "one",
    environment: type === "feature-metadata-updated" ? null : "production",
  });
  const events = [
    event("feature-metadata-updated"),
    event("feature-strategy-add"),
    event("feature-strategy-add"),
    event("feature-environment-enabled"),
  ];
  expect([...effectsOf([{ dryRun: true, events }])]).toEqual([
    ["a/one", ["added a strategy in production", "switched on in production"]],
  ]);
});

it("puts what needs approval into a draft, without trying it", async () => {
  const { ask, asked } = server({
    guarded: [{ environment: "production", type: "production", changeRequestEnabled: true }],
  });
  const production = (enabled: boolean) => ({ environments: [{ name: "production", type: "production", enabled }] });
  const task = { kind: "switch" as const, environment: "production", enabled: true };
  const found = await trial(task, [flag("off", production(false)), flag("on", production(true))], everything, ask);
  expect(asked).toEqual([]);
  expect(found.can.map(({ name }) => name)).toEqual(["off", "on"]);
  expect([...found.effects]).toEqual([["a/off", ["added to your draft for production"]]]);
  expect(found.drafted).toBe(1);
});

it("leaves out what no change request can hold, of the project that is left or entered", async () => {
  const guarded = [{ environment: "production", type: "production", changeRequestEnabled: true }];
  const move = { kind: "move" as const, to: "b" };
  const held = ["a", "b"].map((project) => ({ permission: "MOVE_FEATURE_TOGGLE" as const, project }));
  const found = await trial(move, [flag("f")], held, server({ guarded }).ask);
  expect(found.can).toEqual([]);
  expect(found.cannot.map(({ reason }) => reason)).toEqual([
    "Changes of a in production need approval, and no change request can hold this one. Ask an administrator.",
  ]);
  expect((await trial(move, [flag("f")], held as never, server({}).ask)).can).toHaveLength(1);
  // Administrators move flags out, and nobody moves any in.
  const only = (project: string): Ask => {
    const { ask } = server({ guarded });
    return (planned) => (planned.init.params?.path?.projectId === project ? ask(planned) : server({}).ask(planned));
  };
  expect((await trial(move, [flag("f")], everything, only("a"))).can).toHaveLength(1);
  expect((await trial(move, [flag("f")], everything, only("b"))).cannot.map(({ reason }) => reason)).toEqual([
    "Changes of b in production need approval: create a flag there instead.",
  ]);
});

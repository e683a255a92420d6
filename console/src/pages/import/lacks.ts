import { request, type Planned, type Schemas } from "../../api/request";
import type { Data } from "./file";

/** What is there already, of what a file may need. */
export interface There {
  project: string;
  segments: readonly Pick<Schemas["Segment"], "name" | "project">[];
  strategies: readonly Pick<Schemas["StrategyType"], "name">[];
  fields: readonly Schemas["ContextField"][];
  environments: readonly string[];
}

export interface Lack {
  kind: "environment" | "strategy type" | "context field" | "segment";
  name: string;
  /** What creates it, or what it lacks. */
  request: Planned;
}

/** Everything that has to be there before the file can be imported, each once. */
export function lacks(data: Data, environment: string, there: There): Lack[] {
  return [
    ...lackingEnvironment(environment, there),
    ...lackingStrategies(data, there),
    ...lackingValues(data, there),
    ...lackingSegments(data, there),
  ];
}

function lackingEnvironment(environment: string, { project, environments }: There): Lack[] {
  if (environments.includes(environment)) return [];
  const params = { path: { projectId: project } };
  const adding = request("post", "/api/admin/projects/{projectId}/environments", { params, body: { environment } });
  return [{ kind: "environment", name: environment, request: adding }];
}

function lackingStrategies({ featureStrategies }: Data, { strategies }: There): Lack[] {
  const known = new Set(strategies.map(({ name }) => name));
  const parameters = new Map<string, Set<string>>();
  for (const { name, parameters: given } of featureStrategies) {
    if (known.has(name)) continue;
    const names = parameters.get(name) ?? new Set();
    for (const parameter of Object.keys(given ?? {})) names.add(parameter);
    parameters.set(name, names);
  }
  return [...parameters].map(([name, names]) => ({
    kind: "strategy type" as const,
    name,
    request: request("post", "/api/admin/strategies", {
      body: { name, parameters: [...names].sort().map((parameter) => ({ name: parameter, type: "string" as const })) },
    }),
  }));
}

/** Fields that are not there at all are created by the import itself. */
function lackingValues({ contextFields = [] }: Data, { fields }: There): Lack[] {
  return contextFields.flatMap((imported): Lack[] => {
    const known = fields.find(({ name }) => name === imported.name);
    const present = known?.legalValues ?? [];
    const lacking = (imported.legalValues ?? []).filter(({ value }) => !present.some((one) => one.value === value));
    if (!known || lacking.length === 0 || present.length === 0) return [];
    const { name, description, stickiness, sortOrder } = known;
    const body = { description, stickiness, sortOrder, legalValues: [...present, ...lacking] };
    const params = { path: { contextField: name } };
    return [
      { kind: "context field", name, request: request("put", "/api/admin/context/{contextField}", { params, body }) },
    ];
  });
}

function lackingSegments({ segments = [] }: Data, { segments: there, project }: There): Lack[] {
  const usable = new Set(there.filter((one) => !one.project || one.project === project).map(({ name }) => name));
  const names = new Set(segments.map(({ name }) => name).filter((name) => !usable.has(name)));
  return [...names].map((name) => ({
    kind: "segment",
    name,
    request: request("post", "/api/admin/segments", { body: { name, constraints: [] } }),
  }));
}

/**
 * The file with the strategies disabled that apply these segments: an export does not hold the constraints of a segment,
 * and without any it is of everybody.
 */
export function withoutEffect(data: Data, created: ReadonlySet<string>): Data {
  const ids = new Set((data.segments ?? []).filter(({ name }) => created.has(name)).map(({ id }) => id));
  if (ids.size === 0) return data;
  return {
    ...data,
    featureStrategies: data.featureStrategies.map((strategy) =>
      strategy.segments?.some((id) => ids.has(id)) ? { ...strategy, disabled: true } : strategy,
    ),
  };
}

/** Findings without what is told elsewhere; of each only what it names, once. */
export function besides(findings: Schemas["ImportFindings"]["errors"], told: readonly Lack[]) {
  const names = new Set(told.map(({ name }) => name));
  return findings
    .map(({ message, affectedItems }) => ({
      message,
      affectedItems: [...new Set(affectedItems)].filter((item) => !names.has(item)),
      isEmptied: affectedItems.length > 0 && affectedItems.every((item) => names.has(item)),
    }))
    .filter(({ isEmptied }) => !isEmptied);
}

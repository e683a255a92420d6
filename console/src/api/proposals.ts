import { request, type Planned, type Schemas } from "./request";

export type Change = Schemas["RequestedChange"];

/** A call that changes what applications get, as changes that a change request can hold. */
export interface Proposal {
  project: string;
  /** Absent where it is about the project as a whole: any guarded environment takes it. */
  environment?: string;
  /** The changes; some depend on what is stored. */
  changes: (ask: Ask) => Promise<Change[]>;
}

/** Makes a call and gives its answer. */
export type Ask = <A>(planned: Planned<A>) => Promise<A>;

interface Call {
  project: string;
  feature: string;
  environment: string;
  path: Record<string, string | number | undefined>;
  // Checked against the document where the call was planned.
  body: never;
}

const project = "/api/admin/projects/{projectId}";
const feature = `${project}/features/{featureName}`;
const there = `${feature}/environments/{environment}`;
const segment = "/api/admin/segments/{segmentId}";

const switching = (features: readonly string[], enabled: boolean): Change[] =>
  features.map((name) => ({ feature: name, action: "updateEnabled", payload: { enabled } }));
const archiving = (features: readonly string[]): Change[] =>
  features.map((name) => ({ feature: name, action: "archiveFeature" }));
const named = ({ body }: Call) => (body as { features: string[] }).features;

const changesOf: Record<string, (call: Call, ask: Ask) => Change[] | Promise<Change[]>> = {
  [`POST ${there}/on`]: ({ feature }) => switching([feature], true),
  [`POST ${there}/off`]: ({ feature }) => switching([feature], false),
  [`POST ${project}/bulk_features/environments/{environment}/on`]: (call) => switching(named(call), true),
  [`POST ${project}/bulk_features/environments/{environment}/off`]: (call) => switching(named(call), false),
  [`POST ${there}/strategies`]: ({ feature, body }) => [{ feature, action: "addStrategy", payload: body }],
  [`PUT ${there}/strategies/{strategyId}`]: replacement,
  [`DELETE ${there}/strategies/{strategyId}`]: ({ feature, path }) => [
    { feature, action: "deleteStrategy", payload: { id: String(path.strategyId) } },
  ],
  [`POST ${there}/strategies/set-sort-order`]: ({ feature, body }) => [
    { feature, action: "reorderStrategy", payload: body },
  ],
  [`PUT ${there}/variants`]: ({ feature, body }) => [{ feature, action: "patchVariant", payload: { variants: body } }],
  [`DELETE ${feature}`]: ({ feature }) => archiving([feature]),
  [`POST ${project}/archive`]: (call) => archiving(named(call)),
  [`POST ${feature}/dependencies`]: ({ feature, body }) => [{ feature, action: "addDependency", payload: body }],
  [`DELETE ${feature}/dependencies/{parent}`]: withoutParent,
  [`PUT ${segment}`]: ({ path, project, body }) => [
    { action: "updateSegment", payload: { ...(body as object), id: Number(path.segmentId), project } as never },
  ],
  [`DELETE ${segment}`]: ({ path }) => [{ action: "deleteSegment", payload: { id: Number(path.segmentId) } }],
};

/** A change holds the whole strategy: what the call leaves as it is comes from the stored one. */
async function replacement({ project, feature, environment, path, body }: Call, ask: Ask): Promise<Change[]> {
  const strategyId = String(path.strategyId);
  const stored = await ask(
    request(
      "get",
      "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/{strategyId}",
      { params: { path: { projectId: project, featureName: feature, environment, strategyId } } },
    ),
  );
  const payload = { ...strategyOf(stored), ...(body as object), id: strategyId };
  return [{ feature, action: "updateStrategy", payload }];
}

/** A change removes all dependencies of a flag: those that stay are added again. */
async function withoutParent({ project, feature, path }: Call, ask: Ask): Promise<Change[]> {
  const { dependencies } = await ask(
    request("get", "/api/admin/projects/{projectId}/features/{featureName}", {
      params: { path: { projectId: project, featureName: feature } },
    }),
  );
  const others = dependencies.filter((dependency) => dependency.feature !== path.parent);
  return [
    { feature, action: "deleteDependency" },
    ...others.map((payload): Change => ({ feature, action: "addDependency", payload })),
  ];
}

/** What a strategy is made of, without what the server adds. */
export function strategyOf(body: object) {
  const { name, title, disabled, sortOrder, segments, constraints, variants, parameters } =
    body as Schemas["FeatureStrategy"];
  return { name, title, disabled, sortOrder, segments, constraints, variants, parameters };
}

/** Calls that a change request can hold, by method and path. */
export const proposable = Object.keys(changesOf);

/** What a call proposes where changes need approval; nothing for calls that no change request can hold. */
export function proposalOf({ method, path: template, init, of }: Planned): Proposal | undefined {
  const changes = changesOf[`${method} ${template}`];
  const path = init.params?.path ?? {};
  const owner = (path.projectId as string | undefined) ?? of;
  if (!changes || !owner || init.params?.query?.dryRun) return undefined;
  const call: Call = {
    project: owner,
    feature: String(path.featureName ?? ""),
    environment: String(path.environment ?? ""),
    path,
    body: init.body as never,
  };
  return {
    project: owner,
    environment: template.includes("{environment}") ? call.environment : undefined,
    changes: async (ask) => changes(call, ask),
  };
}

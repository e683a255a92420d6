import { proposalOf, type Ask, type Change, type Proposal } from "../../api/proposals";
import { request, type Planned, type Schemas } from "../../api/request";

/** Environments of production of a project. */
export type Live = (project: string) => Promise<readonly string[]>;

/** Changes of one environment of production. */
export interface Part {
  project: string;
  environment: string;
  changes: Change[];
}

/** As many as are worth the work before a click. */
const mostChanges = 200;

/** What calls change in production: what has no environment changes it as well. */
export async function partsOf(requests: readonly Planned[], live: Live, ask: Ask): Promise<Part[]> {
  const parts = new Map<string, Part>();
  const proposals = requests.map(proposalOf).filter((one): one is Proposal => one !== undefined);
  for (const { project, environment, changes } of proposals) {
    const known = await live(project);
    const where = environment === undefined ? known[0] : known.find((one) => one === environment);
    if (where === undefined) continue;
    const key = `${project}/${where}`;
    const part = parts.get(key) ?? { project, environment: where, changes: [] };
    part.changes.push(...(await changes(ask)));
    parts.set(key, part);
  }
  return [...parts.values()].filter(({ changes }) => changes.length > 0 && changes.length <= mostChanges);
}

const asking = ({ project, environment, changes }: Part) =>
  request("post", "/api/admin/projects/{projectId}/environments/{environment}/change-requests/impact", {
    params: { path: { projectId: project, environment } },
    body: changes,
  });

/** Flags that give somebody in production another answer once these calls are made, most noticed ones first. */
export async function expectedImpact(
  requests: readonly Planned[],
  live: Live,
  ask: Ask,
): Promise<Schemas["FeatureImpact"][]> {
  const found: Schemas["FeatureImpact"][] = [];
  for (const part of await partsOf(requests, live, ask)) {
    const known = await live(part.project);
    const { features } = await ask(asking(part));
    found.push(...features.filter(({ environment }) => known.includes(environment)));
  }
  return found.sort((one, other) => other.changed.share - one.changed.share);
}

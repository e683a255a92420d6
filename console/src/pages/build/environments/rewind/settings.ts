import { onlyFor, request, type Planned, type Schemas } from "../../../../api/request";
import { differs, type Aspect } from "../../../feature/compare/comparison";
import type { Settings } from "./past";

type Environment = Schemas["Environment"];

const inWords = ({ type, enabled, sortOrder, requiredApprovals }: Settings): Record<string, string> => ({
  Type: type,
  "In use": enabled ? "yes" : "no",
  Order: String(sortOrder),
  "Approvals of new projects": requiredApprovals ? String(requiredApprovals) : "none",
});

/** The settings of an environment that were otherwise. */
export function settingsThatDiffer(now: Settings, then: Settings): Aspect[] {
  const [one, other] = [inWords(now), inWords(then)];
  return Object.keys(one)
    .map((what) => ({ what, one: one[what], other: other[what] }))
    .filter(differs);
}

/** The requests that give an environment its settings back, over what was seen of it. */
export function restoringSettings(now: Environment, then: Settings, version: string | undefined): Planned[] {
  const path = { name: now.name };
  const body = {
    ...(now.type === then.type ? {} : { type: then.type }),
    ...(now.sortOrder === then.sortOrder ? {} : { sortOrder: then.sortOrder }),
    ...((now.requiredApprovals ?? null) === (then.requiredApprovals ?? null)
      ? {}
      : { requiredApprovals: then.requiredApprovals ?? null }),
  };
  const planned: Planned[] = [];
  if (Object.keys(body).length > 0)
    planned.push(request("put", "/api/admin/environments/update/{name}", { params: { path }, body }));
  if (now.enabled !== then.enabled)
    planned.push(
      then.enabled
        ? request("post", "/api/admin/environments/{name}/on", { params: { path } })
        : request("post", "/api/admin/environments/{name}/off", { params: { path } }),
    );
  return planned.map((one, at) => (at === 0 ? onlyFor(one, version) : one));
}

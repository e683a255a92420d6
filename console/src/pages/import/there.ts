import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { overviewRequest } from "../../parts/project/overview";
import type { There } from "./lacks";

/** What there is of what a file may need; nothing before all of it is known. */
export function useThere(project: string): There | undefined {
  const overview = useRead(overviewRequest(project)).data;
  const segments = useRead(request("get", "/api/admin/segments")).data;
  const strategies = useRead(request("get", "/api/admin/strategies")).data;
  const fields = useRead(request("get", "/api/admin/context")).data;
  if (!overview || !segments || !strategies || !fields) return undefined;
  return {
    project,
    segments: segments.segments,
    strategies: strategies.strategies,
    fields,
    environments: overview.environments.map(({ environment }) => environment),
  };
}

import { useEnvironments, useRead } from "../../api/queries";
import { request } from "../../api/request";
import { isProduction } from "../../parts/EnvironmentName";
import { overviewRequest } from "../../parts/project/overview";

/** The environments that a project uses: where a slip hurts least comes first. */
export function useUsedEnvironments(project: string) {
  const environments = useEnvironments();
  const overview = useRead(overviewRequest(project), { enabled: project !== "" });
  const used = overview.data?.environments.map(({ environment }) => environment) ?? [];
  const sorted = environments
    .filter(({ name }) => used.includes(name))
    .sort((one, other) => Number(isProduction(one.type)) - Number(isProduction(other.type)));
  return { overview, environments: sorted };
}

/** The flag that was created last in a project. */
export const useNewestFeature = (project: string) =>
  useRead(
    request("get", "/api/admin/search/features", {
      params: { query: { project: `IS:${project}`, limit: "1", sortBy: "createdAt", sortOrder: "desc" } },
    }),
    { enabled: project !== "" },
  );

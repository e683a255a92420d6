import { useRead } from "../../api/queries";
import { request } from "../../api/request";

const often = { refetchInterval: 3000, staleTime: 0 };

/** The tokens of a project, read every three seconds for when they are used. */
export const useTokens = (project: string) =>
  useRead(request("get", "/api/admin/projects/{projectId}/api-tokens", { params: { path: { projectId: project } } }), {
    enabled: project !== "",
    ...often,
  });

/** What was reported of a flag within an hour, read every three seconds. */
export const useReports = (feature: string | undefined) =>
  useRead(
    request("get", "/api/admin/client-metrics/features/{featureName}/raw", {
      params: { path: { featureName: feature ?? "" }, query: { hoursBack: "1" } },
    }),
    { enabled: feature !== undefined, ...often },
  );

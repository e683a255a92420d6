import { request } from "../../api/request";

/** A project with its settings, environments and figures. */
export const overviewRequest = (projectId: string) =>
  request("get", "/api/admin/projects/{projectId}/overview", { params: { path: { projectId } } });

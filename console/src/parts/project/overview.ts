import { request } from "../../api/request";

export const overviewRequest = (projectId: string) =>
  request("get", "/api/admin/projects/{projectId}/overview", { params: { path: { projectId } } });

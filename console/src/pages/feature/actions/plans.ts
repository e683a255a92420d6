import { request } from "../../../api/request";

export const cloning = (projectId: string, featureName: string, name: string, replaceGroupId = true) =>
  request("post", "/api/admin/projects/{projectId}/features/{featureName}/clone", {
    params: { path: { projectId, featureName } },
    body: { name, replaceGroupId },
  });

export const moving = (projectId: string, featureName: string, newProjectId: string) =>
  request("post", "/api/admin/projects/{projectId}/features/{featureName}/changeProject", {
    params: { path: { projectId, featureName } },
    body: { newProjectId },
  });

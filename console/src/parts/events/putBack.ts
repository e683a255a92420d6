import { strategyOf } from "../../api/proposals";
import { request, type Planned, type Schemas } from "../../api/request";

type Event = Schemas["Event"];
/** What an event keeps of the thing that it is about. */
type Stored = ({ id?: string } & Record<string, unknown>) | null | undefined;

/** The request that makes things as they were before an event, where one request does. */
export function putBack({ type, project, featureName, environment, data, preData }: Event): Planned | undefined {
  if (!project || !featureName) return undefined;
  const feature = { projectId: project, featureName };
  const before = preData as Stored;
  const after = data as Stored;
  if (environment) {
    const path = { ...feature, environment };
    switch (type) {
      case "feature-environment-enabled":
        return request(
          "post",
          "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/off",
          { params: { path } },
        );
      case "feature-environment-disabled":
        return request("post", "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/on", {
          params: { path },
        });
      case "feature-strategy-update":
        if (!before?.id) return undefined;
        return request(
          "put",
          "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/{strategyId}",
          {
            params: { path: { ...path, strategyId: before.id } },
            body: strategyOf(before),
          },
        );
      case "feature-strategy-add":
        if (!after?.id) return undefined;
        return request(
          "delete",
          "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/{strategyId}",
          {
            params: { path: { ...path, strategyId: after.id } },
          },
        );
      case "feature-strategy-remove":
        if (!before) return undefined;
        return request(
          "post",
          "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies",
          {
            params: { path },
            body: strategyOf(before),
          },
        );
      case "feature-environment-variants-updated":
        return request(
          "put",
          "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/variants",
          {
            params: { path },
            body: (before?.variants ?? []) as Schemas["FeatureVariant"][],
          },
        );
      default:
        return undefined;
    }
  }
  switch (type) {
    case "feature-metadata-updated": {
      if (!before) return undefined;
      const { description, type: kind, stale, impressionData } = before as Schemas["Feature"];
      return request("put", "/api/admin/projects/{projectId}/features/{featureName}", {
        params: { path: feature },
        body: { description, type: kind, stale, impressionData },
      });
    }
    case "feature-archived":
      return request("post", "/api/admin/projects/{projectId}/revive", {
        params: { path: { projectId: project } },
        body: { features: [featureName] },
      });
    case "feature-stale-on":
    case "feature-stale-off":
      return request("patch", "/api/admin/projects/{projectId}/features/{featureName}", {
        params: { path: feature },
        body: [{ op: "replace", path: "/stale", value: type === "feature-stale-off" }],
      });
    default:
      return undefined;
  }
}

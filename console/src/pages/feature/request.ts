import { request, type Schemas } from "../../api/request";

/** A flag with its environments, by whose version all of it is guarded. */
export const featureRequest = (projectId: string, featureName: string) =>
  request("get", "/api/admin/projects/{projectId}/features/{featureName}", {
    params: { path: { projectId, featureName }, query: { variantEnvironments: true } },
  });

/** The strategies of a flag in an environment, in their order. */
export const strategiesIn = ({ environments }: Schemas["FeatureDetails"], environment: string) =>
  environments.find(({ name }) => name === environment)?.strategies ?? [];

import { send } from "../../../api/client";
import { request, type Schemas } from "../../../api/request";

type Data = Schemas["ImportData"];

interface Place {
  project: string;
  featureName: string;
  environment: string;
}

/** What a flag is in an environment, in the form that can be put into another one. */
export const contentOf = async ({ featureName, environment }: Omit<Place, "project">): Promise<Data> =>
  (await send(request("post", "/api/admin/features-batch/export", { body: { environment, features: [featureName] } })))
    .data;

/** Gives a flag these strategies and variants in an environment, instead of its own. Whether it is on stays. */
export function putting({ project, environment }: Place, data: Data, enabled: boolean, dryRun = false) {
  const featureEnvironments = data.featureEnvironments?.map((one) => ({ ...one, enabled }));
  return request("post", "/api/admin/features-batch/import", {
    params: { query: dryRun ? { dryRun } : {} },
    body: { project, environment, data: { ...data, featureEnvironments } },
  });
}

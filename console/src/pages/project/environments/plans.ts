import { request, type Schemas } from "../../../api/request";
import { draftOf, type Draft } from "../../feature/strategy/draft";

type Stored = Schemas["EnvironmentsOfProject"]["environments"][number]["defaultStrategy"];

/** Empty, so that each feature gets a group of its own. */
export const group = "";

/** What a project has where it never said anything: everybody. */
export const defaultOf = (stored: Stored | undefined | null): Draft => draftOf(stored ?? undefined, group);

export const saving = (projectId: string, environment: string, body: Draft) =>
  request("post", "/api/admin/projects/{projectId}/environments/{environment}/default-strategy", {
    params: { path: { projectId, environment } },
    body,
  });

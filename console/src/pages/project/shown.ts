import type { Schemas } from "../../api/request";

/** The project that a page shows, and each part of it. */
export interface OfProject {
  projectId: string;
  project: Schemas["ProjectOverview"];
  /** Of its settings and environments together. */
  version: string | undefined;
}

import type { Schemas } from "../../api/request";

/** The feature that a page shows, and each part of it. */
export interface Shown {
  feature: Schemas["FeatureDetails"];
  /** Of the whole feature: whoever changes any of it makes a new one. */
  version: string | undefined;
}

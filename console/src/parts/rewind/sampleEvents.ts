import type { Schemas } from "../../api/request";

let id = 100_000;

/** Time of events in tests. */
export const at = (second: number) => `2027-01-31T12:00:${String(second % 60).padStart(2, "0")}.000Z`;

/** An event for tests, older than those that were made before it. */
export const sampleEvent = (type: string, more: object = {}): Schemas["Event"] =>
  ({
    id: --id,
    createdAt: at(id),
    createdBy: "ada",
    type,
    project: null,
    featureName: null,
    environment: null,
    data: null,
    preData: null,
    ...more,
  }) as never;

/** An event of a flag of the project `shop` in `production`, for tests. */
export const eventInProduction = (type: string, featureName: string | null, more: object = {}) =>
  sampleEvent(type, { project: "shop", featureName, environment: "production", ...more });

/** A strategy for some share of users, for tests. */
export const sampleStrategy = (id: string, rollout: string, sortOrder = 0) => ({
  id,
  name: "flexibleRollout",
  sortOrder,
  parameters: { rollout },
});

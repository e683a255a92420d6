import { eventsBack } from "../../../parts/rewind/eventsBack";

/** Type of the event before which there was no flag. */
export const birth = "feature-created";

/** What happened to a flag. */
export const eventsOf = (featureName: string, signal: AbortSignal) =>
  eventsBack({ feature: `IS:${featureName}` }, { birth, signal });

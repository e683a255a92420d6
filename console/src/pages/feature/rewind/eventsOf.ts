import { send } from "../../../api/client";
import { request, type Schemas } from "../../../api/request";

type Event = Schemas["Event"];

const pageSize = 1000;
/** Further back is rarely asked for, and a slider could not point at it. */
export const mostEvents = 5000;

export interface Found {
  /** Newest first, back to the creation of the flag. */
  events: Event[];
  /** Whether the log holds older ones that were not read. */
  isCut: boolean;
}

/** What happened to a flag. A flag of the same name that was deleted before is another one. */
export async function eventsOf(featureName: string, signal: AbortSignal): Promise<Found> {
  const events: Event[] = [];
  for (;;) {
    const query = { feature: `IS:${featureName}`, limit: String(pageSize), offset: String(events.length) };
    const { data } = await send(request("get", "/api/admin/search/events", { params: { query } }), signal);
    events.push(...data.events);
    const birth = events.findIndex(({ type }) => type === "feature-created");
    if (birth >= 0) return { events: events.slice(0, birth + 1), isCut: false };
    if (data.events.length === 0 || events.length >= data.total) return { events, isCut: false };
    if (events.length >= mostEvents) return { events, isCut: true };
  }
}

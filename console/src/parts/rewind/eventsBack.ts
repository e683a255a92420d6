import { send } from "../../api/client";
import { request, type Schemas } from "../../api/request";

type Event = Schemas["Event"];

const pageSize = 1000;
/** Further back is rarely asked for, and a slider could not point at it. */
export const mostEvents = 5000;

/** What happened to something, as far as the event log holds it. */
export interface Found {
  /** Newest first, back to its creation. */
  events: Event[];
  /** Whether the log holds older ones that were not read. */
  isCut: boolean;
}

/** Filters of the search for events. */
export type Filters = Partial<Record<"feature" | "project" | "type" | "query", string>>;

export interface Options {
  /** Type of the event before which it was not there. Something of the same name that was deleted before is another one. */
  birth: string;
  /** Whether an event is about it, where the filters find others, too. */
  isMeant?: (event: Event) => boolean;
  signal: AbortSignal;
}

/** Reads what happened to something, from the newest event on. */
export async function eventsBack(filters: Filters, { birth, isMeant = () => true, signal }: Options): Promise<Found> {
  const events: Event[] = [];
  let read = 0;
  for (;;) {
    const query = { ...filters, limit: String(pageSize), offset: String(read) };
    const { data } = await send(request("get", "/api/admin/search/events", { params: { query } }), signal);
    read += data.events.length;
    events.push(...data.events.filter(isMeant));
    const born = events.findIndex(({ type }) => type === birth);
    if (born >= 0) return { events: events.slice(0, born + 1), isCut: false };
    if (data.events.length === 0 || read >= data.total) return { events, isCut: false };
    if (read >= mostEvents) return { events, isCut: true };
  }
}

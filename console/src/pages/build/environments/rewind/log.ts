import { request, type Schemas } from "../../../../api/request";
import { inPlace, type Event } from "./past";

/** Events of the first request: enough to begin with, and quickly there. */
const firstPage = 250;
/** Events of each further request. */
const pageSize = 1000;

/** How many events are asked for beyond those that were read. */
export const limitAfter = (read: number) => (read === 0 ? firstPage : pageSize);

type Query = Record<"environment" | "type" | "createdAtFrom" | "limit" | "offset", string>;
/** A page of events, newest first, and how many match in all. */
export type Page = Schemas["EventSearchResult"];

/** A search of the event log, whose answer has the events that the caller may see. */
export const searchRequest = (query: Partial<Query>) =>
  request("get", "/api/admin/search/events", { params: { query } });
/** Filter for some types of events. */
export const among = (types: readonly string[]) => `IS_ANY_OF:${types.join(",")}`;

/** The newest events of an environment, by the index of environments. */
export const eventsRequest = (environment: string, offset: number, limit: number) =>
  searchRequest({
    environment: `IS:${environment}`,
    type: among(inPlace),
    limit: String(limit),
    offset: String(offset),
  });

/** Events that one change left together. */
export interface Moment {
  /** Id of the newest of them. */
  id: number;
  createdAt: string;
  events: Event[];
}

/** The moments of events, newest first. */
export function momentsOf(events: readonly Event[]): Moment[] {
  const moments: Moment[] = [];
  for (const event of events) {
    const { id, createdAt, createdBy } = event;
    const last = moments.at(-1);
    if (last?.createdAt === createdAt && last.events[0]?.createdBy === createdBy) last.events.push(event);
    else moments.push({ id, createdAt, events: [event] });
  }
  return moments;
}

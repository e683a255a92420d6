import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { send } from "../../../../api/client";
import { among, eventsRequest, limitAfter, searchRequest, type Page } from "./log";
import { ofLives, type Event } from "./past";

/** Events of an environment that are read at most, newest first. */
export const mostEvents = 10_000;
/** Events of the lives of flags that are read at most. */
const mostOfLives = 5000;

const isBirth = ({ type }: Event) => type === "environment-created";
const count = (pages: readonly Page[]) => pages.reduce((sum, { events }) => sum + events.length, 0);

/** What happened in an environment, newest first, as far back as it is read. */
export function useEventsIn(environment: string) {
  const read = useInfiniteQuery({
    queryKey: ["rewind", "environment", environment],
    queryFn: async ({ pageParam, signal }) => {
      const limit = Math.min(limitAfter(pageParam), mostEvents - pageParam);
      return (await send(eventsRequest(environment, pageParam, limit), signal)).data;
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const found = count(pages);
      const isLast = last.events.length === 0 || found >= last.total || last.events.some(isBirth);
      return isLast || found >= mostEvents ? undefined : found;
    },
    retry: false,
  });
  const pages = read.data?.pages ?? [];
  // Events that came meanwhile move older ones on to the next page.
  const all = [...new Map(pages.flatMap(({ events }) => events).map((event) => [event.id, event])).values()];
  const birth = all.findIndex(isBirth);
  // An environment of the same name that was deleted before is another one.
  const events = birth < 0 ? all : all.slice(0, birth + 1);
  const isBorn = birth >= 0;
  const isWhole = isBorn || (read.data !== undefined && count(pages) >= (pages.at(-1)?.total ?? 0));
  return { ...read, events, isBorn, isWhole, isCut: !isWhole && !read.hasNextPage, total: pages.at(-1)?.total ?? 0 };
}

export interface Lives {
  events: Event[];
  /** Id of the event since which they are told. */
  since: number;
  /** Whether the log holds older ones that were not read. */
  isCut: boolean;
}

/** When flags were created, archived, revived, deleted and moved since an event. */
export function useLives(since: Event | undefined) {
  return useQuery({
    queryKey: ["rewind", "lives", since?.id],
    enabled: since !== undefined,
    retry: false,
    // What is told of a shorter time is so while that of a longer one is read.
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Lives> => {
      const { id, createdAt } = since!;
      const from = { type: among(ofLives), createdAtFrom: `IS:${createdAt.slice(0, "2027-01-31".length)}` };
      const events: Event[] = [];
      for (;;) {
        const page = { limit: String(limitAfter(events.length)), offset: String(events.length) };
        const { data } = await send(searchRequest({ ...from, ...page }), signal);
        events.push(...data.events);
        const isWhole = data.events.length === 0 || events.length >= data.total || (events.at(-1)?.id ?? 0) < id;
        if (isWhole || events.length >= mostOfLives) return { events, since: id, isCut: !isWhole };
      }
    },
  });
}

/** When the event log begins, for whoever asks: events before may have been removed after their retention. */
export function useBeginning(isAsked: boolean) {
  return useQuery({
    queryKey: ["rewind", "beginning"],
    enabled: isAsked,
    retry: false,
    queryFn: async ({ signal }) => {
      const newest = (await send(searchRequest({ limit: "1" }), signal)).data;
      const offset = String(Math.max(0, newest.total - 1));
      return (await send(searchRequest({ limit: "1", offset }), signal)).data.events[0]?.createdAt;
    },
  });
}

import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { first } from "../../api/address";
import { serverTime } from "../../api/clock";
import { send } from "../../api/client";
import { request } from "../../api/request";
import { busiest, lastDays } from "./days";
import classes from "./Events.module.css";
import { counted } from "../../words/counts";

interface Props {
  /** Filters of the search besides the days. */
  filter: Record<string, string | undefined>;
}

const shown = 14;

/** Events per day: each day is a button that narrows the list to it. */
export function EventDays({ filter }: Props) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const days = lastDays(shown, new Date(serverTime()));
  // The API counts what fits a search, so each day is one that asks for a single event.
  const perDay = useQuery({
    queryKey: ["eventsPerDay", filter, days],
    queryFn: ({ signal }) =>
      Promise.all(
        days.map(async (day) => {
          const query = { ...filter, createdAtFrom: `IS:${day}`, createdAtTo: `IS:${day}`, limit: "1" };
          const { data } = await send(request("get", "/api/admin/search/events", { params: { query } }), signal);
          return { day, events: data.total };
        }),
      ),
    staleTime: 60_000,
    retry: false,
  });
  const [from, to] = [first(search.createdAtFrom), first(search.createdAtTo)];
  const most = Math.max(1, ...(perDay.data ?? []).map(({ events }) => events));
  const go = (day: string | undefined) =>
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) => ({
        ...before,
        createdAtFrom: day && `IS:${day}`,
        createdAtTo: day && `IS:${day}`,
        offset: undefined,
        event: undefined,
      }),
      replace: true,
    });
  // The list below tells what is wrong.
  if (perDay.error) return null;
  return (
    <section className={classes.strip} aria-label="Events per day">
      <div className={classes.days} role="group" aria-label="Days, in UTC">
        {days.map((day, at) => {
          const events = perDay.data?.[at]?.events;
          const isChosen = from === `IS:${day}` && to === from;
          return (
            <button
              key={day}
              type="button"
              className={classes.day}
              aria-pressed={isChosen}
              aria-label={`${day}: ${events === undefined ? "…" : counted(events, "event")}`}
              title={`${day}: ${events === undefined ? "…" : counted(events, "event")}`}
              onClick={() => go(isChosen ? undefined : day)}
            >
              <span className={classes.bar} style={{ height: `${((events ?? 0) / most) * 100}%` }} />
            </button>
          );
        })}
      </div>
      <div className={`muted figures ${classes.foot}`}>
        <span>{days[0]}</span>
        <span className={classes.finding}>{perDay.data ? busiest(perDay.data) : "Counting …"} · UTC days</span>
        <span>{days.at(-1)}</span>
      </div>
    </section>
  );
}

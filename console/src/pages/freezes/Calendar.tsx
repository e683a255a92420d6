import { Title } from "@mantine/core";
import { forField, useZone } from "../../parts/zone";
import classes from "./Freezes.module.css";
import { addDays, timesOn, type Window } from "./freezes";

const shown = 28;

interface Props {
  windows: readonly Window[];
  now: Date;
}

/** The next four weeks, with what is frozen on each day, in the zone of the reader. */
export function Calendar({ windows, now }: Props) {
  const zone = useZone();
  const today = forField(now, zone).slice(0, 10);
  const days = Array.from({ length: shown }, (_, at) => addDays(today, at)).map((date) => ({
    date,
    found: frozenOn(windows, date, zone),
  }));
  return (
    <section className="card" aria-label="The next four weeks">
      <Title order={2}>
        The next four weeks <span className="muted">({zone})</span>
      </Title>
      <ol className={classes.calendar}>
        {days.map(({ date, found }) => (
          <li key={date} className={classes.day} data-frozen={found.length > 0 || undefined}>
            <time dateTime={date} className="figures">
              {date.slice(5)}
            </time>
            {found.map(({ window, text }) => (
              <div key={window.id} className={`breaks ${classes.entry}`}>
                {text} <bdi>{window.environment ?? "everywhere"}</bdi>
              </div>
            ))}
            {found.length > 0 && (
              <span className="visually-hidden">{found.map(({ window }) => window.reason).join(", ")}</span>
            )}
          </li>
        ))}
      </ol>
      {days.every(({ found }) => found.length === 0) && (
        <p className={`muted ${classes.none}`}>No day of them is frozen.</p>
      )}
    </section>
  );
}

/** What is in force on a day of the reader, and from when to when. */
function frozenOn(windows: readonly Window[], date: string, zone: string) {
  const around = [-1, 0, 1].map((count) => addDays(date, count));
  return windows.flatMap((window) => {
    const times = around
      .flatMap((one) => timesOn(window, one))
      .map(([from, to]) => [forField(from, zone), forField(to, zone)] as const)
      .filter(([from, to]) => from.slice(0, 10) <= date && to > `${date}T00:00`);
    const [first] = times;
    if (!first) return [];
    const [from, to] = first;
    const begin = from.startsWith(date) ? from.slice(11) : "00:00";
    const end = to.startsWith(date) ? to.slice(11) : "24:00";
    return [{ window, text: `${begin}–${end}` }];
  });
}

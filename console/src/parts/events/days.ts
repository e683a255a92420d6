import { counted, number } from "../../words/counts";

const dayLength = 86_400_000;

/** UTC days up to today, the oldest first, as the API writes them. */
export function lastDays(count: number, now: Date): string[] {
  return Array.from({ length: count }, (_, at) =>
    new Date(now.getTime() - (count - 1 - at) * dayLength).toISOString().slice(0, 10),
  );
}

export interface Day {
  day: string;
  events: number;
}

/** What the strip shows, in a sentence. */
export function busiest(days: readonly Day[]): string {
  const all = days.reduce((sum, { events }) => sum + events, 0);
  if (!all) return `Nothing happened in ${days.length} days`;
  const most = days.reduce((one, other) => (other.events > one.events ? other : one));
  return `${counted(all, "event")} in ${counted(days.length, "day")}, most of them (${number(most.events)}) on ${most.day}`;
}

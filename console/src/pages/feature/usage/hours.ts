import type { Schemas } from "../../../api/request";
import { counted } from "../../../words/counts";

type Metric = Schemas["FeatureEnvironmentMetrics"];

export interface Hour {
  at: string;
  yes: number;
  no: number;
}

const hour = 3_600_000;

/** Evaluations hour by hour up to now; hours in which nobody asked are there, too. */
export function byHour(metrics: readonly Metric[], environment: string, hoursBack: number, now: Date): Hour[] {
  const last = Math.floor(now.getTime() / hour) * hour;
  const hours = Array.from({ length: hoursBack }, (_, at): Hour => ({
    at: new Date(last - (hoursBack - 1 - at) * hour).toISOString(),
    yes: 0,
    no: 0,
  }));
  const known = new Map(hours.map((one) => [one.at, one]));
  for (const metric of metrics) {
    const found = known.get(new Date(Math.floor(Date.parse(metric.timestamp) / hour) * hour).toISOString());
    if (found && metric.environment === environment) {
      found.yes += metric.yes;
      found.no += metric.no;
    }
  }
  return hours;
}

/** A finding in a sentence, which the picture then shows. */
export function finding(hours: readonly Hour[]): string {
  const yes = hours.reduce((sum, one) => sum + one.yes, 0);
  const all = yes + hours.reduce((sum, one) => sum + one.no, 0);
  if (all === 0) return `No evaluations in the last ${hours.length} hours`;
  return `${Math.round((100 * yes) / all)} % of ${counted(all, "evaluation")} were enabled in the last ${hours.length} hours`;
}

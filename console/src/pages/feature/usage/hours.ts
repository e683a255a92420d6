import type { Schemas } from "../../../api/request";
import { counted } from "../../../words/counts";
import type { Point } from "../../../parts/charts/scale";

type Metric = Schemas["FeatureEnvironmentMetrics"];

/** By what the evaluations of an hour are told apart. */
export const splits = [
  { value: "result", label: "By result" },
  { value: "application", label: "By application" },
  { value: "variant", label: "By variant" },
] as const;

export type Split = (typeof splits)[number]["value"];

export interface Usage {
  series: string[];
  /** Hour by hour up to now; hours without evaluations are there, too. */
  points: Point[];
}

const hour = 3_600_000;
/** A picture tells so many apart. */
const most = 5;
const rest = "others";

function partsOf({ yes, no, appName, variants = {} }: Metric, split: Split): Record<string, number> {
  const all = yes + no;
  switch (split) {
    case "result":
      return { enabled: yes, disabled: no };
    case "application":
      return { [appName ?? "unknown"]: all };
    case "variant": {
      const counted = Object.values(variants).reduce((sum, one) => sum + one, 0);
      return { ...variants, ...(all > counted ? { "no variant": all - counted } : {}) };
    }
  }
}

/** What is counted, the most frequent first; the result always has both of its parts. */
function seriesOf(parts: readonly Record<string, number>[], split: Split): string[] {
  if (split === "result") return ["enabled", "disabled"];
  const totals = new Map<string, number>();
  for (const [name, count] of parts.flatMap((one) => Object.entries(one)))
    totals.set(name, (totals.get(name) ?? 0) + count);
  const names = [...totals.keys()].sort((one, other) => (totals.get(other) ?? 0) - (totals.get(one) ?? 0));
  return names.length > most ? [...names.slice(0, most - 1), rest] : names;
}

/** Evaluations in one environment, split. */
export function usageOf(
  metrics: readonly Metric[],
  environment: string,
  hoursBack: number,
  now: Date,
  split: Split,
): Usage {
  const last = Math.floor(now.getTime() / hour) * hour;
  const begin = last - (hoursBack - 1) * hour;
  const inReach = metrics
    .filter((metric) => metric.environment === environment)
    .map((metric) => ({
      at: Math.floor((Date.parse(metric.timestamp) - begin) / hour),
      parts: partsOf(metric, split),
    }))
    .filter(({ at }) => at >= 0 && at < hoursBack);
  const series = seriesOf(
    inReach.map(({ parts }) => parts),
    split,
  );
  const points = Array.from({ length: hoursBack }, (_, at): Point => ({
    label: `${new Date(begin + at * hour).toISOString().slice(0, 16).replace("T", " ")} UTC`,
    values: series.map(() => 0),
  }));
  for (const { at, parts } of inReach) {
    const { values } = points[at]!;
    for (const [name, count] of Object.entries(parts)) {
      const known = series.indexOf(name);
      const index = known < 0 ? series.length - 1 : known;
      values[index] = (values[index] ?? 0) + count;
    }
  }
  return { series, points };
}

/** A finding in a sentence, which the picture then shows. */
export function finding({ points }: Usage): string {
  const sum = (at: number) => points.reduce((total, { values }) => total + (values[at] ?? 0), 0);
  const [yes, no] = [sum(0), sum(1)];
  if (yes + no === 0) return `No evaluations in the last ${points.length} hours`;
  const share = Math.round((100 * yes) / (yes + no));
  return `${share} % of ${counted(yes + no, "evaluation")} were enabled in the last ${points.length} hours`;
}

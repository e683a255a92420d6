import type { Schemas } from "../../../api/request";
import type { Point } from "../../../parts/charts/scale";
import { counted } from "../../../words/counts";

export type UsageHistory = Schemas["FeatureUsageHistory"];
export type Period = UsageHistory["period"];

/** Periods that usage is shown for: what each is called, and what its points are. */
export const periods = [
  { value: "48h", label: "48 hours", of: "Hour", shown: 16 },
  { value: "30d", label: "30 days", of: "Day", shown: 10 },
  { value: "24m", label: "24 months", of: "Month", shown: 7 },
] as const satisfies readonly { value: Period; label: string; of: string; shown: number }[];

/** The period that an address names. */
export const periodOf = (text: string | undefined) => periods.find(({ value }) => value === text) ?? periods[0];

/** By what the evaluations of a point are told apart. */
export const splits = [
  { value: "result", label: "By result" },
  { value: "application", label: "By application" },
  { value: "variant", label: "By variant" },
] as const;

export type Split = (typeof splits)[number]["value"];

export interface Usage {
  series: string[];
  /** One for each hour, day or month up to now; those without evaluations are there, too. */
  points: Point[];
}

/** A picture tells so many apart. */
const most = 5;
const rest = "others";

interface Series {
  name: string;
  values: number[];
}

function seriesOf(history: UsageHistory, split: Split): Series[] {
  const { points, applications, variants } = history;
  const all = points.map(({ yes, no }) => yes + no);
  // What is left of the whole, point by point, once these are told apart.
  const leftOf = (whole: readonly number[], told: readonly Series[]) =>
    whole.map((value, at) => Math.max(0, value - told.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)));
  switch (split) {
    case "result":
      return [
        { name: "enabled", values: points.map(({ yes }) => yes) },
        { name: "disabled", values: points.map(({ no }) => no) },
      ];
    case "application": {
      const told = applications.map((one) => ({
        name: one.appName,
        values: one.points.map(({ yes, no }) => yes + no),
      }));
      return merged(told, leftOf(all, told));
    }
    case "variant": {
      const told = variants.map((one) => ({ name: one.variant, values: one.points.map(({ count }) => count) }));
      const varied = points.map(({ withVariant }) => withVariant);
      const plain = { name: "no variant", values: leftOf(all, [{ name: "", values: varied }]) };
      return merged(total(plain.values) > 0 ? [...told, plain] : told, leftOf(varied, told));
    }
  }
}

const total = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0);

/** The most frequent first; the rarest together, with those that came together already. */
function merged(told: readonly Series[], others: readonly number[]): Series[] {
  const sorted = [...told].sort((one, other) => total(other.values) - total(one.values));
  const hasOthers = total(others) > 0;
  if (sorted.length <= most && !hasOthers) return sorted;
  const room = most - 1;
  const last = sorted
    .slice(room)
    .reduce((sums, { values }) => sums.map((sum, at) => sum + (values[at] ?? 0)), [...others]);
  return [...sorted.slice(0, room), { name: rest, values: last }];
}

/** Evaluations, split. */
export function usageOf(history: UsageHistory, split: Split): Usage {
  const series = seriesOf(history, split);
  const points = history.points.map(({ start }, at): Point => ({
    ...namesOf(start, history.period, history.points.length - 1 - at),
    values: series.map(({ values }) => values[at] ?? 0),
  }));
  return { series: series.map(({ name }) => name), points };
}

/** What a point is called, and what the axis says below it: few enough for a phone. All in UTC, as it is counted. */
function namesOf(start: string, period: Period, back: number): Pick<Point, "label" | "tick"> {
  const text = start.replace("T", " ");
  const label = text.slice(0, periodOf(period).shown);
  switch (period) {
    case "48h": {
      const hour = Number(text.slice(11, 13));
      return { label: `${label} UTC`, tick: hour % 6 ? undefined : hour ? text.slice(11, 16) : text.slice(5, 10) };
    }
    case "30d":
      return { label, tick: back % 5 ? undefined : text.slice(5, 10) };
    case "24m":
      return { label, tick: back % 6 ? undefined : label };
  }
}

/** A finding in a sentence, which the picture then shows. */
export function finding({ yes, no, period }: UsageHistory): string {
  const { label } = periodOf(period);
  if (yes + no === 0) return `No evaluations in the last ${label}`;
  const share = Math.round((100 * yes) / (yes + no));
  return `${share} % of ${counted(yes + no, "evaluation")} were enabled in the last ${label}`;
}

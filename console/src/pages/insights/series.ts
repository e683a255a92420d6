import type { Schemas } from "../../api/request";
import { trend, type Point } from "../../parts/charts/scale";
import { counted, number } from "../../words/counts";

type Insights = Schemas["InstanceInsights"];

export interface Table {
  finding: string;
  series: string[];
  points: Point[];
}

const day = (date: string) => date.slice(0, 10);
const latest = <T extends { date: string }>(rows: readonly T[]) =>
  [...rows].sort((one, other) => one.date.localeCompare(other.date));

function span(points: readonly Point[]): string {
  const days = Math.round((Date.parse(points.at(-1)?.label ?? "") - Date.parse(points[0]?.label ?? "")) / 86_400_000);
  return days === 1 ? "a day" : `${days} days`;
}

/** The figures of each day as they were taken, and as they are now for `today`, which is left out of a range without it. */
export function people(
  { userTrends, users }: Pick<Insights, "userTrends" | "users">,
  today: string | undefined,
): Table {
  const points = latest(userTrends)
    .map(({ date, active, inactive }) => ({ label: day(date), values: [active, inactive] }))
    .filter(({ label }) => label !== today);
  if (today) points.push({ label: today, values: [users.active, users.inactive] });
  const [active, inactive] = points.at(-1)?.values ?? [users.active, users.inactive];
  const finding =
    points.length > 1
      ? `Active people ${trend(
          points.map(({ values }) => values[0]!),
          span(points),
        )}`
      : `${number(active!)} of ${counted(active! + inactive!, "person", "people")} ${active! + inactive! === 1 ? "is" : "are"} active`;
  return { finding, series: ["active", "inactive"], points };
}

/** The flags of each day as they were counted, which for today is up to an hour ago. */
export function features({ flagTrends, flags }: Pick<Insights, "flagTrends" | "flags">, today: string): Table {
  const points = latest(flagTrends).map(({ date, active, potentiallyStale, stale }) => ({
    label: day(date),
    values: [active, potentiallyStale, stale],
  }));
  const finding =
    points.length > 1
      ? `Stale flags ${trend(
          points.map(({ values }) => values[2]!),
          span(points),
        )}`
      : total(flags.total, flagTrends[0], today);
  return { finding, series: ["in use", "older than their type should be", "stale"], points };
}

/** How many flags there are, where one day at most was counted: never another number than its picture without saying so. */
function total(now: number, day: Insights["flagTrends"][number] | undefined, today: string): string {
  const there = `There ${now === 1 ? "is" : "are"} ${counted(now, "flag")}`;
  if (!day) return there;
  if (!day.date.startsWith(today))
    return `There ${day.total === 1 ? "was" : "were"} ${counted(day.total, "flag")} on ${day.date.slice(0, 10)}`;
  return day.total === now ? there : `${there} now, and ${number(day.total)} when today was counted last`;
}

type Rows<T> = readonly (T & { project: string; week: string; date: string })[];

/** One figure by project and week: the last of each week. What was not taken is no number. */
function byWeek<T>(rows: Rows<T>, value: (row: T) => number) {
  const weeks = [...new Set(rows.map(({ week }) => week))].sort();
  const projects = new Map<string, number[]>();
  for (const row of latest(rows)) {
    const values = projects.get(row.project) ?? weeks.map(() => NaN);
    values[weeks.indexOf(row.week)] = value(row);
    projects.set(row.project, values);
  }
  return { weeks, projects: [...projects].map(([label, values]) => ({ label, values })) };
}

const last = ({ values }: Point) => values.findLast(Number.isFinite) ?? 0;

export function health({ projectFlagTrends }: Pick<Insights, "projectFlagTrends">): Table {
  const { weeks, projects } = byWeek(projectFlagTrends, (row) => row.health);
  const points = projects.sort((one, other) => last(one) - last(other) || one.label.localeCompare(other.label));
  const worst = points[0];
  const finding = !worst
    ? "No health was taken"
    : last(worst) === 100
      ? "Every project is healthy"
      : `${worst.label} needs cleaning most: its health is ${last(worst)} %`;
  return { finding, series: weeks, points };
}

export function sizes({ projectFlagTrends }: Pick<Insights, "projectFlagTrends">): Table {
  const { weeks, projects } = byWeek(projectFlagTrends, (row) => row.total);
  const sorted = projects.sort((one, other) => last(other) - last(one) || one.label.localeCompare(other.label));
  const most = sorted[0];
  return {
    finding: !most
      ? "No project was counted"
      : last(most) === 0
        ? "No project had a flag"
        : `${most.label} has the most flags: ${number(last(most))}`,
    series: sorted.map(({ label }) => label),
    points: weeks.map((week, at) => ({ label: week, values: sorted.map(({ values }) => values[at]!) })),
  };
}

export function toProduction({ projectFlagTrends }: Pick<Insights, "projectFlagTrends">): Table {
  const found = new Map<string, number>();
  for (const { project, timeToProduction } of latest(projectFlagTrends))
    if (timeToProduction != null) found.set(project, timeToProduction);
  const points = [...found]
    .map(([label, days]) => ({ label, values: [days] }))
    .sort((one, other) => other.values[0]! - one.values[0]!);
  const slowest = points[0];
  return {
    finding: slowest
      ? `${slowest.label} takes longest to production: ${counted(slowest.values[0]!, "day")}`
      : "No flag reached production",
    series: ["days"],
    points,
  };
}

export function updates({ environmentTypeTrends }: Pick<Insights, "environmentTypeTrends">): Table {
  const weeks = [...new Set(environmentTypeTrends.map(({ week }) => week))].sort();
  const sums = new Map<string, number[]>();
  for (const { environmentType, week, totalUpdates } of environmentTypeTrends) {
    const values = sums.get(environmentType) ?? weeks.map(() => 0);
    values[weeks.indexOf(week)]! += totalUpdates;
    sums.set(environmentType, values);
  }
  // Production first, where all look.
  const series = [...sums.keys()].sort(
    (one, other) => Number(other === "production") - Number(one === "production") || one.localeCompare(other),
  );
  const inProduction = (sums.get("production") ?? []).reduce((sum, one) => sum + one, 0);
  return {
    finding: weeks.length
      ? `${counted(inProduction, "change")} in production in ${counted(weeks.length, "week")}`
      : "Nothing was changed",
    series,
    points: weeks.map((week, at) => ({ label: week, values: series.map((name) => sums.get(name)![at]!) })),
  };
}

export function evaluations({ metricsSummaryTrends }: Pick<Insights, "metricsSummaryTrends">): Table {
  const sums = new Map<string, [number, number]>();
  for (const { project, totalYes, totalNo } of metricsSummaryTrends) {
    const [yes, no] = sums.get(project) ?? [0, 0];
    sums.set(project, [yes + totalYes, no + totalNo]);
  }
  const points = [...sums]
    .map(([label, [yes, no]]) => ({ label, values: [yes + no, yes, no] }))
    .sort((one, other) => other.values[0]! - one.values[0]!);
  const most = points[0];
  return {
    finding: most
      ? `${most.label} is asked for most: ${counted(most.values[0]!, "evaluation")}`
      : "No application asked for a flag",
    series: ["evaluations", "yes", "no"],
    points,
  };
}

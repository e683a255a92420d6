import { expect, it } from "vitest";
import { evaluations, features, health, people, sizes, toProduction, updates } from "./series";

const on = (date: string) => `${date}T23:59:59.999Z`;
const trendOf = (project: string, week: string, date: string, changed: object) => ({
  project,
  week,
  date: on(date),
  health: 100,
  total: 0,
  active: 0,
  stale: 0,
  potentiallyStale: 0,
  ...changed,
});

it("puts days in order, and says what became of the figure that matters", () => {
  const found = features(
    {
      flags: { total: 12 },
      flagTrends: [
        { date: on("2026-03-31"), total: 12, active: 9, potentiallyStale: 1, stale: 2 },
        { date: on("2026-03-01"), total: 20, active: 5, potentiallyStale: 1, stale: 14 },
      ],
    },
    "2026-03-31",
  );
  expect(found.finding).toBe("Stale flags fell by 12 in 30 days");
  expect(found.points).toEqual([
    { label: "2026-03-01", values: [5, 1, 14] },
    { label: "2026-03-31", values: [9, 1, 2] },
  ]);
});

it("says of flags nothing else than its picture of a single day", () => {
  const none = { date: on("2026-03-31"), total: 0, active: 0, potentiallyStale: 0, stale: 0 };
  const counted = { date: on("2026-03-31"), total: 74, active: 70, potentiallyStale: 3, stale: 1 };
  const found = (flagTrends: (typeof none)[], today: string) =>
    features({ flags: { total: 74 }, flagTrends }, today).finding;
  // A new server counted before its first flags were created.
  expect(found([none], "2026-03-31")).toBe("There are 74 flags now, and 0 when today was counted last");
  expect(found([counted], "2026-03-31")).toBe("There are 74 flags");
  expect(found([none], "2026-04-01")).toBe("There were 0 flags on 2026-03-31");
  expect(found([], "2026-04-01")).toBe("There are 74 flags");
});

it("tells of people what its picture shows, today as it is now", () => {
  const insights = {
    users: { total: 39, active: 1, inactive: 38 },
    userTrends: [{ date: on("2026-03-31"), total: 2, active: 1, inactive: 1 }],
  };
  const now = people(insights, "2026-03-31");
  expect(now.finding).toBe("1 of 39 people are active");
  expect(now.points.at(-1)).toEqual({ label: "2026-03-31", values: [1, 38] });
  // Soon after midnight the new day was not counted yet.
  const later = people(insights, "2026-04-01");
  expect(later.points).toEqual([
    { label: "2026-03-31", values: [1, 1] },
    { label: "2026-04-01", values: [1, 38] },
  ]);
  expect(people({ ...insights, userTrends: [] }, "2026-04-01").finding).toBe("1 of 39 people are active");
  const past = people(insights, undefined);
  expect(past.finding).toBe("1 of 2 people are active");
  expect(past.points).toEqual([{ label: "2026-03-31", values: [1, 1] }]);
});

const trends = [
  trendOf("shop", "2026-10", "2026-03-06", { health: 40, total: 8, timeToProduction: 2 }),
  trendOf("shop", "2026-10", "2026-03-08", { health: 50, total: 9, timeToProduction: 3 }),
  trendOf("shop", "2026-11", "2026-03-12", { health: 60, total: 10, timeToProduction: 3.5 }),
  trendOf("app", "2026-11", "2026-03-12", { health: 80, total: 30 }),
];

it("shows the worst project first, by the last figure of each week", () => {
  const found = health({ projectFlagTrends: trends });
  expect(found.series).toEqual(["2026-10", "2026-11"]);
  expect(found.points).toEqual([
    { label: "shop", values: [50, 60] },
    { label: "app", values: [NaN, 80] },
  ]);
  expect(found.finding).toBe("shop needs cleaning most: its health is 60 %");
  expect(health({ projectFlagTrends: [] }).finding).toBe("No health was taken");
});

it("draws the largest project first, and leaves gaps where there was none", () => {
  const found = sizes({ projectFlagTrends: trends });
  expect(found.series).toEqual(["app", "shop"]);
  expect(found.points).toEqual([
    { label: "2026-10", values: [NaN, 9] },
    { label: "2026-11", values: [30, 10] },
  ]);
});

it("leaves out projects whose flags never reached production", () => {
  expect(toProduction({ projectFlagTrends: trends }).points).toEqual([{ label: "shop", values: [3.5] }]);
});

it("adds up changes by week and evaluations by project", () => {
  const change = (environmentType: string, week: string, totalUpdates: number) => ({
    environmentType,
    week,
    totalUpdates,
    date: on("2026-03-12"),
  });
  const found = updates({
    environmentTypeTrends: [
      change("development", "2026-10", 5),
      change("production", "2026-11", 2),
      change("production", "2026-11", 1),
    ],
  });
  expect(found.series).toEqual(["production", "development"]);
  expect(found.points.map(({ values }) => values)).toEqual([
    [0, 5],
    [3, 0],
  ]);
  expect(found.finding).toBe("3 changes in production in 2 weeks");
  const metrics = {
    week: "2026-10",
    date: on("2026-03-12"),
    totalRequests: 0,
    totalApps: 1,
    totalFlags: 1,
    totalEnvironments: 1,
  };
  expect(
    evaluations({
      metricsSummaryTrends: [
        { ...metrics, project: "app", totalYes: 1, totalNo: 1 },
        { ...metrics, project: "shop", totalYes: 4, totalNo: 2 },
        { ...metrics, project: "app", totalYes: 1, totalNo: 0 },
      ],
    }).points,
  ).toEqual([
    { label: "shop", values: [6, 4, 2] },
    { label: "app", values: [3, 2, 1] },
  ]);
});

import { expect, it } from "vitest";
import { finding, periodOf, usageOf, type Period, type UsageHistory } from "./history";

/** Three points: nothing in the first, `[yes, no, withVariant]` in the others. */
function history(
  starts: string[],
  [one, two]: [number[], number[]],
  more: Partial<UsageHistory> = {},
  period: Period = "48h",
): UsageHistory {
  const counts = [[0, 0, 0], one, two];
  const points = starts.map((start, at) => {
    const [yes = 0, no = 0, withVariant = 0] = counts[at] ?? [];
    return { start, yes, no, withVariant };
  });
  const sum = (name: "yes" | "no") => points.reduce((all, point) => all + point[name], 0);
  return {
    featureName: "f",
    period,
    bucket: "hour",
    yes: sum("yes"),
    no: sum("no"),
    points,
    applications: [],
    otherApplications: 0,
    variants: [],
    otherVariants: 0,
    ...more,
  };
}

const hours = ["2026-05-03T23:00:00.000Z", "2026-05-04T00:00:00.000Z", "2026-05-04T06:00:00.000Z"];
const at = (start: string | undefined) => ({ start: start ?? "" });
const application = (appName: string, ...counts: number[]) => ({
  appName,
  yes: 0,
  no: 0,
  points: counts.map((yes, index) => ({ ...at(hours[index]), yes, no: 0 })),
});
const variant = (name: string, ...counts: number[]) => ({
  variant: name,
  count: 0,
  points: counts.map((count, index) => ({ ...at(hours[index]), count })),
});
const values = (usage: ReturnType<typeof usageOf>) => usage.points.map((point) => point.values);

it("tells results apart, and keeps hours without evaluations", () => {
  const told = history(hours, [
    [1, 2],
    [3, 0],
  ]);
  const usage = usageOf(told, "result");
  expect(usage.points.map(({ label }) => label)).toEqual([
    "2026-05-03 23:00 UTC",
    "2026-05-04 00:00 UTC",
    "2026-05-04 06:00 UTC",
  ]);
  expect(usage.points.map(({ tick }) => tick)).toEqual([undefined, "05-04", "06:00"]);
  expect([usage.series, ...values(usage)]).toEqual([
    ["enabled", "disabled"],
    [0, 0],
    [1, 2],
    [3, 0],
  ]);
  expect(finding(told)).toBe("67 % of 6 evaluations were enabled in the last 48 hours");
  expect(finding(history(hours, [[], []], {}, "24m"))).toBe("No evaluations in the last 24 months");
});

it("names days and months, and some of them below the axis", () => {
  const days = history(["2026-05-03T00:00:00.000Z", "2026-05-04T00:00:00.000Z"], [[1], []], {}, "30d");
  expect(usageOf(days, "result").points.map(({ label, tick }) => [label, tick])).toEqual([
    ["2026-05-03", undefined],
    ["2026-05-04", "05-04"],
  ]);
  const months = history(["2026-04-01T00:00:00.000Z", "2026-05-01T00:00:00.000Z"], [[1], []], {}, "24m");
  expect(usageOf(months, "result").points.map(({ label }) => label)).toEqual(["2026-04", "2026-05"]);
  expect(periodOf("7d").value).toBe("48h");
});

it("tells applications and variants apart, the most frequent first", () => {
  const told = history(
    hours,
    [
      [4, 1, 3],
      [9, 0, 5],
    ],
    {
      applications: [application("shop", 0, 5, 0), application("app", 0, 0, 9)],
      variants: [variant("green", 0, 2, 5), variant("blue", 0, 1, 0)],
    },
  );
  const by = (split: "application" | "variant") => {
    const usage = usageOf(told, split);
    return [usage.series, ...values(usage)];
  };
  expect(by("application")).toEqual([
    ["app", "shop"],
    [0, 0],
    [0, 5],
    [9, 0],
  ]);
  expect(by("variant")).toEqual([
    ["green", "no variant", "blue"],
    [0, 0, 0],
    [2, 2, 1],
    [5, 4, 0],
  ]);
});

it("takes the rarest together, with those that the server does not tell apart, and loses none", () => {
  const applications = [1, 2, 3, 4, 5, 6].map((yes) => application(`app-${yes}`, 0, yes, 0));
  const usage = usageOf(history(hours, [[31], []], { applications, otherApplications: 2 }), "application");
  expect(usage.series).toEqual(["app-6", "app-5", "app-4", "app-3", "others"]);
  expect(values(usage)[1]).toEqual([6, 5, 4, 3, 13]);
  const variants = [variant("red", 0, 4, 0)];
  const varied = usageOf(history(hours, [[10, 0, 7], []], { variants, otherVariants: 1 }), "variant");
  expect([varied.series, values(varied)[1]]).toEqual([
    ["red", "no variant", "others"],
    [4, 3, 3],
  ]);
});

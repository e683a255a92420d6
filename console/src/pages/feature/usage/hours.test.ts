import { expect, it } from "vitest";
import { finding, usageOf } from "./hours";

const now = new Date("2026-05-04T12:40:00Z");
const metric = (at: string, yes: number, no: number, more: object = {}) => ({
  featureName: "f",
  environment: "production",
  timestamp: `2026-05-04T${at}:00:00Z`,
  yes,
  no,
  appName: "shop",
  ...more,
});
const values = (usage: ReturnType<typeof usageOf>) => usage.points.map((point) => point.values);

it("adds up applications within an hour, and keeps empty hours", () => {
  const metrics = [
    metric("12", 1, 2),
    metric("12", 3, 0, { appName: "app" }),
    metric("11", 9, 9, { environment: "development" }),
    metric("09", 7, 7),
  ];
  const usage = usageOf(metrics, "production", 3, now, "result");
  expect(usage.points.map(({ label }) => label.slice(11))).toEqual(["10:00 UTC", "11:00 UTC", "12:00 UTC"]);
  expect([usage.series, ...values(usage)]).toEqual([
    ["enabled", "disabled"],
    [0, 0],
    [0, 0],
    [4, 2],
  ]);
  expect(finding(usage)).toBe("67 % of 6 evaluations were enabled in the last 3 hours");
  expect(finding(usageOf([], "production", 3, now, "result"))).toBe("No evaluations in the last 3 hours");
});

it("tells applications and variants apart, the most frequent first", () => {
  const metrics = [
    metric("12", 3, 1, { variants: { blue: 1, green: 2 } }),
    metric("12", 9, 0, { appName: "app", variants: { green: 5 } }),
  ];
  const by = (split: "application" | "variant") => {
    const usage = usageOf(metrics, "production", 1, now, split);
    return [usage.series, ...values(usage)];
  };
  expect(by("application")).toEqual([
    ["app", "shop"],
    [9, 4],
  ]);
  expect(by("variant")).toEqual([
    ["green", "no variant", "blue"],
    [7, 5, 1],
  ]);
});

it("takes the rarest together, and loses none", () => {
  const metrics = Array.from({ length: 8 }, (_, at) => metric("12", at + 1, 0, { appName: `app-${at}` }));
  const usage = usageOf(metrics, "production", 1, now, "application");
  expect(usage.series).toEqual(["app-7", "app-6", "app-5", "app-4", "others"]);
  expect(values(usage)).toEqual([[8, 7, 6, 5, 10]]);
});

import { expect, it } from "vitest";
import { firstEvaluations, fitting, lastUse } from "./tokens";

const token = (tokenName: string, type: string, seenAt?: string, environment = "development") =>
  ({ tokenName, type, seenAt, environment }) as never;
const tokens = [
  token("old", "client", "2026-01-01T00:00:00Z"),
  token("page", "frontend", "2026-03-01T00:00:00Z"),
  token("new", "backend", "2026-02-01T00:00:00Z"),
  token("idle", "client"),
  token("elsewhere", "client", "2026-04-01T00:00:00Z", "production"),
];

it("offers the tokens of a kind and environment, the last used first", () => {
  expect(fitting(tokens, "client", "development")).toEqual(["new", "old", "idle"]);
  expect(fitting(tokens, "frontend", "development")).toEqual(["page"]);
});

it("finds the last use of any token, or of one", () => {
  expect(lastUse(tokens, "development", undefined)?.tokenName).toBe("page");
  expect(lastUse(tokens, "development", "old")?.seenAt).toBe("2026-01-01T00:00:00Z");
  expect(lastUse(tokens, "development", "idle")).toBeUndefined();
});

it("counts what was reported in an environment", () => {
  const report = (appName: string, environment: string, yes: number, no: number) =>
    ({ appName, environment, yes, no }) as never;
  const reports = [
    report("shop", "development", 1, 2),
    report("app", "development", 3, 0),
    report("shop", "production", 9, 9),
  ];
  expect(firstEvaluations(reports, "development")).toEqual({ yes: 4, no: 2, appNames: ["app", "shop"] });
  expect(firstEvaluations(reports, "test")).toBeUndefined();
});

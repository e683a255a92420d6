import { expect, it } from "vitest";
import { ending, inOrder, isUnused, planNew, type Draft, type Token } from "./tokens";

const now = Date.parse("2026-06-01T00:00:00Z");
const ago = (days: number) => new Date(now - days * 86_400_000).toISOString();
const token = (tokenName: string, seenAt: string | null, createdAt = ago(200)) =>
  ({ tokenName, seenAt, createdAt }) as Token;

it("counts a token as unused only when it had 90 days to be used", () => {
  expect(isUnused(token("a", ago(91)), now)).toBe(true);
  expect(isUnused(token("a", ago(89)), now)).toBe(false);
  expect(isUnused(token("a", null), now)).toBe(true);
  expect(isUnused(token("a", null, ago(2)), now)).toBe(false);
});

it("lists unused ones first, then by name", () => {
  const tokens = [token("b", ago(1)), token("z", null), token("a", ago(1))];
  expect(inOrder(tokens, now).map(({ tokenName }) => tokenName)).toEqual(["z", "a", "b"]);
});

it("tells what has ended and what will soon", () => {
  expect(ending({ expiresAt: ago(0) }, now)).toBe("ended");
  expect(ending({ expiresAt: ago(-6) }, now)).toBe("soon");
  expect(ending({ expiresAt: ago(-8) }, now)).toBeUndefined();
  expect(ending({ expiresAt: null }, now)).toBeUndefined();
});

const draft: Draft = {
  tokenName: " shop ",
  type: "client",
  environment: "production",
  projects: ["p"],
  expiresAt: null,
};

it("asks for the permission of the kind, and for an administrator where it reaches everything", () => {
  const needs = (changed: Partial<Draft>) =>
    planNew({ ...draft, ...changed }).operation.needs.map(({ permission }) => permission);
  expect(needs({})).toEqual(["CREATE_CLIENT_API_TOKEN"]);
  expect(needs({ type: "frontend" })).toEqual(["CREATE_FRONTEND_API_TOKEN"]);
  expect(needs({ projects: [] })).toEqual(["ADMIN"]);
  expect(needs({ type: "admin" })).toEqual(["ADMIN"]);
  expect(planNew({ ...draft, type: "admin" }).init.body).toMatchObject({ environment: "*", projects: ["*"] });
  expect(planNew(draft).init.body).toMatchObject({ tokenName: "shop", environment: "production", projects: ["p"] });
});

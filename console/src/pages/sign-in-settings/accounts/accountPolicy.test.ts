// @vitest-environment happy-dom
import { expect, it } from "vitest";
import {
  canBeTakenBack,
  differences,
  draftOf,
  expiry,
  planAccountPolicy,
  shortened,
  type Draft,
  type Effect,
} from "./accountPolicy";

const policy = {
  personalTokensAllowed: true,
  personalTokenDays: 90,
  serviceAccountTokenDays: null,
  inactiveUserDays: null,
  inactiveUsersSince: null,
};
const draft: Draft = draftOf(policy);
const effect = (changed: Partial<Effect> = {}): Effect => ({
  dryRun: true,
  policy,
  shortenedPersonalTokens: 0,
  shortenedServiceAccountTokens: 0,
  expiring: { total: 0, users: [] },
  ...changed,
});

it("has no text where there is no limit, and sends null for it", () => {
  expect(draft).toEqual({
    personalTokensAllowed: true,
    personalTokenDays: "90",
    serviceAccountTokenDays: "",
    inactiveUserDays: "",
  });
  expect(planAccountPolicy(draft).init.body).toEqual({
    personalTokensAllowed: true,
    personalTokenDays: 90,
    serviceAccountTokenDays: null,
    inactiveUserDays: null,
  });
});

it("says in the address that it is a trial, and nothing otherwise", () => {
  expect(planAccountPolicy(draft, { dryRun: true }).init.params?.query).toEqual({ dryRun: true });
  expect(planAccountPolicy(draft).init.params?.query).toEqual({});
});

it("names what changed, with a word for no limit", () => {
  const after = { ...draft, personalTokensAllowed: false, personalTokenDays: "", inactiveUserDays: "60" };
  expect(differences(draft, after).map(({ before, after }) => [before, after])).toEqual([
    ["on", "off"],
    ["90", "none"],
    ["none", "60"],
  ]);
  expect(differences(draft, draft)).toEqual([]);
});

it("says which tokens end earlier", () => {
  expect(shortened(effect())).toEqual([]);
  expect(shortened(effect({ shortenedPersonalTokens: 1, shortenedServiceAccountTokens: 1200 }))).toEqual([
    "1 personal token ends earlier.",
    "1,200 tokens of service accounts end earlier.",
  ]);
});

it("offers to take back only what can be", () => {
  const after = (inactiveUserDays: number | null) => effect({ policy: { ...policy, inactiveUserDays } });
  expect(canBeTakenBack(draft, effect())).toBe(true);
  expect(canBeTakenBack(draft, effect({ shortenedPersonalTokens: 1 }))).toBe(false);
  expect(canBeTakenBack(draft, after(60))).toBe(true);
  expect(canBeTakenBack({ ...draft, inactiveUserDays: "90" }, after(60))).toBe(true);
  expect(canBeTakenBack({ ...draft, inactiveUserDays: "90" }, after(null))).toBe(false);
});

const now = Date.parse("2027-01-31T12:00:00Z");
const day = 86_400_000;
const users = (...days: number[]) =>
  days.map((from, at) => ({
    id: at + 1,
    username: `user-${at + 1}`,
    usedAt: null,
    deactivatesAt: new Date(now + from * day).toISOString(),
  }));

it("tells those whom the next run deactivates from those who come after them", () => {
  const { due, names, later, rest } = expiry({ total: 4, users: users(-2, 0, 1, 9) }, now);
  expect([due, names, later.map(({ id }) => id), rest]).toEqual(["2 users", ["user-1", "user-2"], [3, 4], 0]);
  expect(expiry({ total: 0, users: [] }, now)).toEqual({ due: undefined, names: [], later: [], rest: 0 });
});

it("names a few of many, and counts the others", () => {
  const many = expiry({ total: 1200, users: users(-1, -1, -1, -1, -1, -1, 1, 2, 3, 4, 5, 6) }, now);
  expect(many.due).toBe("6 users");
  expect(many.names).toEqual(["user-1", "user-2", "user-3", "user-4", "user-5", "1 other user"]);
  expect([many.later.length, many.rest]).toEqual([5, 1189]);
});

it("does not count those whom the server does not list", () => {
  const { due, rest } = expiry({ total: 5, users: users(-2, -1) }, now);
  expect([due, rest]).toEqual(["At least 2 users", 0]);
});

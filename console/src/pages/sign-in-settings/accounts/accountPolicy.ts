import { request, type Schemas } from "../../../api/request";
import { nameOf } from "../../../parts/people";
import { counted } from "../../../words/counts";
import { inWords, type Difference } from "../fields";

type Policy = Schemas["AccountPolicy"];
export type Effect = Schemas["AccountPolicyEffect"];
export type ExpiringUsers = Schemas["ExpiringUsers"];

/** The policy as its form has it: a number of days is a text, which is empty where there is none. */
export type Draft = {
  personalTokensAllowed: boolean;
  personalTokenDays: string;
  serviceAccountTokenDays: string;
  inactiveUserDays: string;
};

export const readAccountPolicy = request("get", "/api/admin/account-policy");
export const readExpiringUsers = request("get", "/api/admin/account-policy/expiring-users");

const textOf = (days: number | null) => (days === null ? "" : String(days));

export const draftOf = (policy: Policy): Draft => ({
  personalTokensAllowed: policy.personalTokensAllowed,
  personalTokenDays: textOf(policy.personalTokenDays),
  serviceAccountTokenDays: textOf(policy.serviceAccountTokenDays),
  inactiveUserDays: textOf(policy.inactiveUserDays),
});

const daysOf = (text: string) => (text.trim() === "" ? null : Number(text));

export const planAccountPolicy = (draft: Draft, { dryRun = false } = {}) =>
  request("put", "/api/admin/account-policy", {
    params: { query: dryRun ? { dryRun } : {} },
    body: {
      personalTokensAllowed: draft.personalTokensAllowed,
      personalTokenDays: daysOf(draft.personalTokenDays),
      serviceAccountTokenDays: daysOf(draft.serviceAccountTokenDays),
      inactiveUserDays: daysOf(draft.inactiveUserDays),
    },
  });

/** The parts of the policy, as its form and lists of what changed call them. */
export const labels: Record<keyof Draft, string> = {
  personalTokensAllowed: "Users may create personal tokens",
  personalTokenDays: "Longest lifetime of personal tokens, in days",
  serviceAccountTokenDays: "Longest lifetime of tokens of service accounts, in days",
  inactiveUserDays: "Deactivate users who were inactive for, in days",
};

export const differences = (before: Draft, after: Draft): Difference[] =>
  (Object.keys(labels) as (keyof Draft)[])
    .filter((name) => before[name] !== after[name])
    .map((name) => ({ label: labels[name], before: inWords(before[name]), after: inWords(after[name]) }));

/** Whether saving the policy from before again restores everything: tokens that were shortened stay so. */
export const canBeTakenBack = (before: Draft, effect: Effect) =>
  shortened(effect).length === 0 &&
  // Switched on again, the days of those who never came begin anew.
  (before.inactiveUserDays === "" || effect.policy.inactiveUserDays !== null);

/** Which tokens end earlier, by kind. */
export const shortened = ({ shortenedPersonalTokens, shortenedServiceAccountTokens }: Effect): string[] =>
  (
    [
      [shortenedPersonalTokens, "personal token"],
      [shortenedServiceAccountTokens, "token of a service account", "tokens of service accounts"],
    ] as const
  ).flatMap(([count, one, many]) =>
    count > 0 ? [`${counted(count, one, many)} ${count === 1 ? "ends" : "end"} earlier.`] : [],
  );

/** Users as many as a sentence names. */
const most = 5;

/** Whom the next run of the job deactivates, and who comes after them. */
export function expiry({ total, users }: ExpiringUsers, now: number) {
  const due = users.filter(({ deactivatesAt }) => Date.parse(deactivatesAt) <= now);
  const later = users.slice(due.length, due.length + most);
  const isCut = due.length === users.length && total > users.length;
  return {
    due: due.length === 0 ? undefined : `${isCut ? "At least " : ""}${counted(due.length, "user")}`,
    names: [
      ...due.slice(0, most).map(nameOf),
      ...(due.length > most ? [counted(due.length - most, "other user")] : []),
    ],
    later,
    rest: isCut ? 0 : total - due.length - later.length,
  };
}

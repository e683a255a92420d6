import type { Schemas } from "../../../api/request";
import { isProduction } from "../../../parts/EnvironmentName";
import { counted, number } from "../../../words/counts";

type Feature = Schemas["HealthReport"]["features"][number];
type Type = Pick<Schemas["FeatureType"], "id" | "name" | "lifetimeDays">;

/** What removes a reason. One request can archive many; completing is one each. */
export type Remedy = "archive" | "complete";

export interface Reason {
  kind: keyof typeof rules;
  /** Of this feature: "42 days over the lifetime of release". */
  words: string;
  remedy: Remedy;
}

const month = 30;
const dayLength = 86_400_000;

/** The rules, in words, the most telling first: a feature is told the first that it breaks. */
export const rules = {
  completed: "It is completed, and still on somewhere.",
  stale: "Somebody marked it as stale.",
  expired: "It is older than flags of its type are meant to become.",
  unused: `Applications asked for it once, and not for ${month} days.`,
  never: `No application ever asked for it, and it was created more than ${month} days ago.`,
  off: `It is off everywhere, and was created more than ${month} days ago.`,
  settled: `It is on in production for ${month} days, and has a type that is meant to end.`,
} as const;

/** The rules by name, where there is no room for a sentence. */
export const ruleNames: Record<keyof typeof rules, string> = {
  completed: "Completed, still on",
  stale: "Marked as stale",
  expired: "Older than its lifetime",
  unused: "No longer evaluated",
  never: "Never evaluated",
  off: "Off everywhere",
  settled: `In production for ${month} days`,
};

const days = (from: string | null | undefined, now: Date) =>
  from ? Math.floor((now.getTime() - Date.parse(from)) / dayLength) : 0;

/** Why a feature should go, or nothing. */
export function reasonFor(feature: Feature, types: readonly Type[], now: Date): Reason | undefined {
  const { stale, createdAt, lastSeenAt, environments = [], lifecycle } = feature;
  const type = types.find(({ id }) => id === feature.type);
  const lifetime = type?.lifetimeDays ?? undefined;
  const age = days(createdAt, now);
  const isOn = environments.some(({ enabled }) => enabled);
  const inStage = days(lifecycle?.enteredStageAt, now);

  if (lifecycle?.stage === "completed" && isOn)
    return { kind: "completed", words: `completed ${counted(inStage, "day")} ago, and still on`, remedy: "archive" };
  if (stale) return { kind: "stale", words: "marked as stale", remedy: "archive" };
  // What is meant to stay may be old, unused and off.
  if (lifetime === undefined) return undefined;
  if (age > lifetime)
    return {
      kind: "expired",
      words: `${counted(age - lifetime, "day")} over the lifetime of ${type?.name ?? feature.type}`,
      remedy: "archive",
    };
  if (lastSeenAt && days(lastSeenAt, now) >= month)
    return { kind: "unused", words: `no evaluations since ${lastSeenAt.slice(0, 10)}`, remedy: "archive" };
  if (!lastSeenAt && age >= month)
    return { kind: "never", words: `never evaluated in ${counted(age, "day")}`, remedy: "archive" };
  if (!isOn && age >= month)
    return { kind: "off", words: `off everywhere, ${counted(age, "day")} old`, remedy: "archive" };
  const isLive = environments.some(({ enabled, type: of }) => enabled && isProduction(of));
  if (lifecycle?.stage === "live" && isLive && inStage >= month)
    return { kind: "settled", words: `on in production for ${counted(inStage, "day")}`, remedy: "complete" };
  return undefined;
}

export interface Owed {
  feature: Feature;
  reason: Reason;
}

/** All that should go, the oldest first. */
export const debtOf = (features: readonly Feature[], types: readonly Type[], now: Date): Owed[] =>
  features
    .flatMap((feature) => {
      const reason = reasonFor(feature, types, now);
      return reason ? [{ feature, reason }] : [];
    })
    .sort((one, other) => (one.feature.createdAt ?? "").localeCompare(other.feature.createdAt ?? ""));

/** Those that can be archived together: nothing that stays depends on any of them. */
export function archivable(owed: readonly Owed[]): Owed[] {
  const wanted = owed.filter(({ reason }) => reason.remedy === "archive");
  const names = new Set(wanted.map(({ feature }) => feature.name));
  const going = wanted.filter(({ feature }) => (feature.children ?? []).every((child) => names.has(child)));
  // One that stays after all may depend on others.
  return going.length === wanted.length ? going : archivable(going);
}

/** The finding above the picture. */
export function finding(owed: readonly Owed[], all: number): string {
  if (!all) return "There is no flag yet";
  if (!owed.length) return `None of ${counted(all, "flag")} should go`;
  return `${number(owed.length)} of ${counted(all, "flag")} should go`;
}

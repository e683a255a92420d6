import type { Schemas } from "../../api/request";
import { counted, number } from "../../words/counts";

type Impact = Schemas["FeatureImpact"];

const percent = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** "10 % of 10,000 sampled users get another answer: 800 gain it, 200 get another variant." */
export function impactInWords({ basis, contexts, changed }: Pick<Impact, "basis" | "contexts" | "changed">): string {
  const users = `${number(contexts)} ${basis === "sampled" ? "sampled" : "made-up"} users`;
  if (changed.count === 0) return `Nothing changes for any of ${users}.`;
  const parts = [
    changed.gained && `${number(changed.gained)} gain it`,
    changed.lost && `${number(changed.lost)} lose it`,
    changed.variant && `${number(changed.variant)} get another variant`,
  ].filter(Boolean);
  return `${percent.format(100 * changed.share)} % of ${users} get another answer: ${parts.join(", ")}.`;
}

/** "1,200 of 48,000 evaluations a day would change." */
export function evaluationsInWords({ total, wouldChange }: Pick<Impact["evaluationsPerDay"], "total" | "wouldChange">) {
  if (total === 0) return "No application evaluated it in the last 24 hours.";
  return `${number(wouldChange)} of ${counted(total, "evaluation")} of the last 24 hours would have another result.`;
}

/** What is to be known about the numbers. */
export const notes: Record<Impact["reasons"][number], string> = {
  "off-before": "It is off now.",
  "off-after": "It is off afterwards.",
  "gone-after": "It is archived: applications no longer know it.",
  "unknown-strategy": "A strategy is of a type that only applications evaluate; here it never holds.",
  "draws-by-chance": "It decides anew at each evaluation: the shares are right, the users stand for draws.",
  "values-left-out": "Constraints name more values than were tried.",
  "hashed-values": "A constraint compares a field of which only hashes were sampled.",
};

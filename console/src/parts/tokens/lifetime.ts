import { counted } from "../../words/counts";

const day = 86_400_000;
/** Left of the longest lifetime for the way to the server, and for clocks that do not agree. */
const leeway = 60_000;

/** When something ends that begins at a moment and lasts for some days, and no longer than it may. */
export const endAfter = (days: number, now: number, longest = Infinity): string =>
  new Date(now + Math.min(days, longest) * day - (days >= longest ? leeway : 0)).toISOString();

/** The numbers of days that something may last, and the longest one. */
export const choicesUpTo = (days: readonly number[], longest = Infinity): number[] => [
  ...days.filter((one) => one < longest),
  ...(Number.isFinite(longest) ? [longest] : []),
];

/** Why something may not end at a moment, if it ends too late. */
export const tooLate = (end: string, now: number, longest = Infinity): string | undefined =>
  Date.parse(end) > now + longest * day ? `It must end in ${counted(longest, "day")} at most.` : undefined;

/** What bounds the choice. */
export const boundInWords = (longest: number): string =>
  `In ${counted(longest, "day")} at most, by the policy on accounts or the limit of the operator.`;

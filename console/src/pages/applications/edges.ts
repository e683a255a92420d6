/** Seconds up to which what an edge serves is as good as what the server has: it asks, or is shown a sign of life. */
const current = 60;

/** How old what an edge serves may be, in words. */
export function ageOf(seconds: number): string {
  if (seconds <= current) return "serves what there is";
  const [count, unit] = seconds < 7200 ? [Math.round(seconds / 60), "minute"] : [Math.round(seconds / 3600), "hour"];
  return `serves what there was ${count} ${unit}${count === 1 ? "" : "s"} before`;
}

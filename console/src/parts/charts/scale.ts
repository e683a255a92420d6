/** Figures of one point in time, or of one thing, in the order of the series. */
export interface Point {
  label: string;
  values: number[];
  /** What an axis says of it, where it says anything. */
  tick?: string;
}

/** Where along an axis what it says of a point stands, in percent, and which of its sides is there. */
export function tickAt(index: number, count: number): { at: number; side: "start" | "middle" | "end" } {
  const at = (100 * (index + 0.5)) / Math.max(1, count);
  return { at, side: at < 4 ? "start" : at > 96 ? "end" : "middle" };
}

/** A round number that nothing exceeds. */
export function ceiling(most: number): number {
  if (most <= 1) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(most));
  const step = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((one) => one * magnitude >= most) ?? 10;
  return step * magnitude;
}

/** Heights of labels so that none covers another, each as near to its own as it can be, in the order given. */
export function spread(wanted: readonly number[], apart: number, within: number): number[] {
  const order = wanted.map((height, at) => ({ height, at })).sort((one, other) => one.height - other.height);
  let last = -Infinity;
  for (const one of order) last = one.height = Math.max(one.height, last + apart);
  let next = within + apart;
  for (const one of [...order].reverse()) next = one.height = Math.min(one.height, next - apart);
  const placed = Array<number>(wanted.length);
  for (const { height, at } of order) placed[at] = height;
  return placed;
}

/** What became of a figure, for the sentence above its picture: "fell by 12 in 30 days". */
export function trend(values: readonly number[], span: string): string {
  const change = (values.at(-1) ?? 0) - (values[0] ?? 0);
  if (values.length < 2 || change === 0) return `did not change in ${span}`;
  return `${change > 0 ? "rose" : "fell"} by ${Math.abs(Math.round(change * 10) / 10)} in ${span}`;
}

/** A figure as it is read; what is not known is a dash. */
export const rounded = (value: number) =>
  Number.isInteger(value) ? String(value) : Number.isFinite(value) ? value.toFixed(1) : "–";

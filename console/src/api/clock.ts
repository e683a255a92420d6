/**
 * The server's clock, as its answers tell it. What is ended, due, or an hour ago is judged by this one: that of the
 * reader's computer may be wrong.
 */
let ahead = 0;

/** Learns from the `Date` of an answer to a call that lasted from `began` to `ended` by the reader's clock. */
export function learn(date: string | null, began: number, ended: number) {
  const told = Date.parse(date ?? "");
  if (Number.isNaN(told)) return;
  // It names a whole second, in which some moment between question and answer was.
  ahead = Math.min(Math.max(ahead, told - ended), told + 1000 - began);
}

/** What the server's clock shows when the reader's shows this. */
export const serverTime = (local: number = Date.now()): number => local + ahead;

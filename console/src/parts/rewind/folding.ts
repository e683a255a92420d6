import type { Schemas } from "../../api/request";

type Event = Schemas["Event"];

/** Something before one of its events, and what of that the event does not hold. */
export interface Step<S> {
  state: S;
  missing?: string;
}

/** Something after one of its events, and what of that the event log does not hold. */
export interface Folded<S> {
  state: S;
  missing: string[];
}

/** Takes events back one after the other, the newest first: the first state is the one of now. */
export function folded<S>(
  now: S,
  events: readonly Event[],
  before: (state: S, event: Event, at: number) => Step<S>,
): Folded<S>[] {
  const found: Folded<S>[] = [{ state: now, missing: [] }];
  for (const [at, event] of events.entries()) {
    const last = found.at(-1)!;
    const { state, missing } = before(last.state, event, at);
    found.push({ state, missing: missing ? [...new Set([...last.missing, missing])] : last.missing });
  }
  return found;
}

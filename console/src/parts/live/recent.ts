import { useSyncExternalStore } from "react";
import type { Schemas } from "../../api/request";
import { idOf } from "../bulk/tasks";

export type Event = Schemas["Event"];

/** How long a change is marked. */
const shown = 60_000;

const marks = new Map<string, Event>();
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

/** Marks the features that somebody else changed, for a while. */
export function mark(events: readonly Event[]) {
  const fresh = new Map<string, Event>();
  for (const event of events) {
    if (!event.project || !event.featureName) continue;
    const id = idOf({ project: event.project, name: event.featureName });
    const newest = fresh.get(id);
    if (!newest || newest.id < event.id) fresh.set(id, event);
  }
  for (const [id, event] of fresh) {
    marks.set(id, event);
    setTimeout(() => {
      if (marks.get(id) !== event) return;
      marks.delete(id);
      tell();
    }, shown);
  }
  if (fresh.size) tell();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The latest change of a feature by somebody else, while it is new. */
export const useRecent = (project: string, name: string): Event | undefined =>
  useSyncExternalStore(subscribe, () => marks.get(idOf({ project, name })));

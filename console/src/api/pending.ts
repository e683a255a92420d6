import { useSyncExternalStore } from "react";

/** A call that is not answered yet. */
export interface Pending {
  /** By `performance.now()`. */
  began: number;
  isWrite: boolean;
  /** Waits no longer; what the server does about it is not known. */
  stop: () => void;
}

let calls: readonly Pending[] = [];
const listeners = new Set<() => void>();

function become(next: readonly Pending[]) {
  calls = next;
  listeners.forEach((listener) => listener());
}

/** Notes a call; what comes back forgets it. */
export function waitingFor(call: Pending): () => void {
  become([...calls, call]);
  return () => become(calls.filter((one) => one !== call));
}

export function usePending(): readonly Pending[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => calls,
  );
}

import { useState } from "react";
import { useRefresh } from "../api/queries";
import { send } from "../api/client";
import type { Planned } from "../api/request";
import { tellDone, tellFailure } from "./notices";

interface Act<A> {
  request: Planned<A>;
  /** What happened, in a sentence; nothing is said without. */
  done?: string;
  /** What takes it back, where something does; of what was created, its answer tells. */
  undo?: Planned | ((answer: A) => Planned);
  /** What that does, and what is so afterwards: told of changes in production. */
  undoing?: Undoing;
}

export interface Undoing {
  label: string;
  done: string;
}

/**
 * Makes changes: one at a time, everything shown is read again afterwards, and what failed is told where `inline` says:
 * in the form (`error`), or as a notice.
 */
export function useAct({ inline = false } = {}) {
  const refresh = useRefresh();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function act<A>({
    request,
    done,
    undo,
    undoing,
  }: Act<A>): Promise<{ data: A; refreshed: Promise<unknown> } | undefined> {
    setBusy(true);
    setError(undefined);
    try {
      const reply = await send(request);
      const back = typeof undo === "function" ? undo(reply.data) : undo;
      if (done) tellDone(done, back && { label: undoing?.label, run: () => void takeBack(back, undoing?.done) });
      return { data: reply.data, refreshed: refresh() };
    } catch (failure) {
      if (inline) setError(failure);
      else tellFailure(failure);
      return undefined;
    } finally {
      setBusy(false);
    }
  }

  async function takeBack(undo: Planned, done = "Taken back.") {
    try {
      await send(undo);
      tellDone(done);
    } catch (failure) {
      tellFailure(failure);
    }
    void refresh();
  }

  return { act, busy, error, setError };
}

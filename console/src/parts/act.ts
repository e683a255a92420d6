import { useState } from "react";
import type { Reply } from "../api/client";
import { readWithOwnChanges, useRefresh } from "../api/queries";
import type { Planned } from "../api/request";
import { useChange } from "./change-requests/draft";
import { tellDone, tellFailure } from "./notices";

interface Act<A> {
  request: Planned<A>;
  /** What happened, in a sentence, which may depend on the answer; nothing is said without. */
  done?: string | ((answer: A) => string);
  /** What takes it back, where something does; of what was created, its answer tells. */
  undo?: Planned | ((answer: A) => Planned | undefined);
  /** What that does, and what is so afterwards: told of changes in production. */
  undoing?: Undoing;
  /** What follows when it became part of a draft, since it needs approval. */
  onDrafted?: () => void;
}

export interface Undoing {
  label: string;
  done: string;
}

/** What makes changes, with what it is at and what was refused last. */
export type Acting = ReturnType<typeof useAct>;

/**
 * Makes changes: one at a time, everything shown is read again afterwards, and what failed is told where `inline` says:
 * in the form (`error`), or as a notice. What needs approval becomes part of a draft instead.
 */
export function useAct({ inline = false } = {}) {
  const refresh = useRefresh();
  const change = useChange();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function act<A>({
    request,
    done,
    undo,
    undoing,
    onDrafted,
  }: Act<A>): Promise<{ data: A; refreshed: Promise<unknown> } | undefined> {
    setBusy(true);
    setError(undefined);
    try {
      const reply = await change(request);
      if (reply.draft) {
        void refresh();
        onDrafted?.();
        return undefined;
      }
      const back = typeof undo === "function" ? undo(reply.data) : undo;
      const said = typeof done === "function" ? done(reply.data) : done;
      if (said) tellDone(said, back && { label: undoing?.label, run: () => void takeBack(back, undoing?.done) });
      return { data: reply.data, refreshed: refresh() };
    } catch (failure) {
      if (inline) setError(failure);
      else tellFailure(failure);
      return undefined;
    } finally {
      setBusy(false);
    }
  }

  /** Does something about what a page shows, for its version, once it has what the person changed a moment ago. */
  async function withOwnChanges<A>(read: Planned<A>, go: (reply: Reply<A>) => Promise<unknown> | void) {
    setBusy(true);
    let reply;
    try {
      reply = await readWithOwnChanges(read);
    } catch (failure) {
      if (inline) setError(failure);
      else tellFailure(failure);
      return;
    } finally {
      setBusy(false);
    }
    await go(reply);
  }

  async function takeBack(undo: Planned, done = "Taken back.") {
    try {
      if (!(await change(undo)).draft) tellDone(done);
    } catch (failure) {
      tellFailure(failure);
    }
    void refresh();
  }

  return { act, withOwnChanges, busy, error, setError };
}

import { useState } from "react";
import type { Reply } from "../../api/client";
import { draftedNow, useRefresh } from "../../api/queries";
import { isConflict } from "../../api/refusal";
import { onlyFor, type Planned } from "../../api/request";
import type { Undoing } from "../act";
import { useChange } from "../change-requests/draft";
import { tellDone, tellFailure } from "../notices";
import { askAbout } from "./ConflictDialog";
import { same, type Plain } from "./merge";

interface Save<T extends Plain> {
  /** What the form began with, and of which version that was. */
  base: T;
  version: string | undefined;
  mine: T;
  plan: (value: T) => Planned;
  /** Adds why it is done: to the change, not to what takes it back. */
  because?: (planned: Planned) => Planned;
  /** The same thing as it is by now. */
  reread: () => Promise<Reply<T>>;
  /** Name of the feature whose history tells who was faster. */
  feature?: string;
  /** The same of what is no feature: filters of the search for events. */
  events?: Record<string, string>;
  done: string;
  /** Whether nothing that is known takes this change back. */
  isLasting?: (base: T, saved: T) => boolean;
  /** What taking it back does, told of changes in production. */
  undoing?: (base: T) => Undoing;
}

/** What became of it: saved, put into a draft, given up for what the other one wrote, or still being edited. */
export type Outcome = "saved" | "drafted" | "theirs" | "editing";

/** Saves what is meant for one version. When somebody was faster, asks, merges, and tries again with the new one. */
export function useSave() {
  const refresh = useRefresh();
  const change = useChange();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function save<T extends Plain>({
    base,
    version,
    mine,
    plan,
    because = (planned) => planned,
    reread,
    feature,
    events = { feature: `IS:${feature}` },
    done,
    isLasting,
    undoing,
  }: Save<T>): Promise<Outcome> {
    setBusy(true);
    setError(undefined);
    let [known, value, current] = [base, mine, version];
    try {
      for (;;) {
        try {
          const isDraft = (await draftedNow(plan(value))) !== undefined;
          // A draft is of no version: it must be based on what is there by now.
          if (!isDraft || same((await reread()).data, known)) {
            const { draft } = await change(because(onlyFor(plan(value), current)));
            void refresh();
            if (draft) return "drafted";
            const saved = await reread();
            const [before, after] = [known, value];
            const back = undoing?.(before);
            const undone = { label: back?.label, run: () => void undo(plan(before), saved, reread, back?.done) };
            tellDone(done, isLasting?.(before, after) ? undefined : undone);
            return "saved";
          }
        } catch (failure) {
          if (!isConflict(failure)) throw failure;
        }
        const { data: theirs, version: newer } = await reread();
        current = newer;
        // Another part of the feature changed, and nothing of this.
        if (same(theirs, known)) continue;
        const decision = await askAbout({ base: known, theirs, mine: value, events });
        if (decision === undefined) return "editing";
        if (decision === "theirs") {
          void refresh();
          return "theirs";
        }
        [known, value] = [theirs, decision as T];
      }
    } catch (failure) {
      setError(failure);
      return "editing";
    } finally {
      setBusy(false);
    }
  }

  async function undo<T extends Plain>(
    planned: Planned,
    saved: Reply<T>,
    reread: () => Promise<Reply<T>>,
    done = "Taken back.",
  ): Promise<void> {
    try {
      if (!(await change(onlyFor(planned, saved.version))).draft) tellDone(done);
      void refresh();
    } catch (failure) {
      const now = isConflict(failure) ? await reread().catch(() => undefined) : undefined;
      // Another part of it changed, and nothing of what was saved. The form may be gone: what fails is told.
      if (now && same(now.data, saved.data)) return undo(planned, now, reread, done);
      tellFailure(failure);
    }
  }

  return { save, busy, error };
}

import { useState } from "react";
import { useRefresh } from "../../api/queries";
import { because } from "../../api/reason";
import { Refusal } from "../../api/refusal";
import { useChange } from "../change-requests/draft";
import { tellDone, tellFailure } from "../notices";
import { canBeTried, partsOf, reversed } from "./bulk";
import { doneInWords, idOf, undoInWords, type Selected, type Task } from "./tasks";
import type { LeftOut } from "./trial";
import { counted } from "../../words/counts";

interface Options {
  reason: string;
  inProduction: boolean;
  onDone: () => void;
  /** What the preview says is no longer so. */
  onStale: () => void;
}

const isOutdated = (failure: unknown) => failure instanceof Refusal && [400, 403, 404, 409].includes(failure.status);

/** Does a task to the features that change by it, and takes it back. */
export function useDoing(task: Task, changed: readonly Selected[], { reason, inProduction, onDone, onStale }: Options) {
  const refresh = useRefresh();
  const change = useChange();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [refused, setRefused] = useState<readonly LeftOut[]>([]);
  const [isStale, setStale] = useState(false);

  async function run() {
    setBusy(true);
    setError(undefined);
    try {
      const left: LeftOut[] = [];
      const drafted = new Set<string>();
      for (const { planned, features } of partsOf(task, changed, false)) {
        try {
          const { draft } = await change(because(planned, reason));
          if (draft) features.forEach((feature) => drafted.add(idOf(feature)));
        } catch (failure) {
          if (canBeTried(task) || !(failure instanceof Refusal)) throw failure;
          left.push(...features.map((feature) => ({ feature, reason: failure.lines.join(" ") })));
        }
      }
      const failed = new Set(left.map(({ feature }) => idOf(feature)));
      const done = changed.filter((feature) => !failed.has(idOf(feature)) && !drafted.has(idOf(feature)));
      if (done.length)
        tellDone(said(done.length, doneInWords(task)), {
          label: inProduction ? undoInWords(task) : undefined,
          run: () => void takeBack(done),
        });
      setRefused(left);
      if (left.length === 0) onDone();
    } catch (failure) {
      if (isOutdated(failure)) {
        setStale(true);
        onStale();
      } else setError(failure);
    } finally {
      setBusy(false);
      void refresh();
    }
  }

  async function takeBack(done: readonly Selected[]) {
    try {
      let isMade = false;
      for (const one of reversed(task, done)) isMade = !(await change(one)).draft || isMade;
      if (isMade) tellDone(inProduction ? `${undoInWords(task)}: ${counted(done.length, "flag")}.` : "Taken back.");
    } catch (failure) {
      tellFailure(failure);
    }
    void refresh();
  }

  return { run, busy, error, refused, isStale };
}

const said = (count: number, done: string) => `${counted(count, "flag was", "flags were")} ${done}.`;

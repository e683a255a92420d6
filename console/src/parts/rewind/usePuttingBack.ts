import { useState } from "react";
import { useRefresh } from "../../api/queries";
import type { Planned } from "../../api/request";
import { useChange } from "../change-requests/draft";
import { confirm } from "../confirm";
import { tellDone, tellFailure } from "../notices";

type Question = Parameters<typeof confirm>[0];

interface Putting extends Omit<Question, "requests" | "reasoned"> {
  /** The requests, in their order. */
  planned: readonly Planned[];
  /** What is said once all of them are made. */
  done: string;
}

/** Makes something as it was after a preview, one request after the other. */
export function usePuttingBack() {
  const refresh = useRefresh();
  const change = useChange();
  const [busy, setBusy] = useState(false);

  async function putBack({ planned, done, ...question }: Putting) {
    const meant = await confirm({ ...question, reasoned: true, requests: [...planned] });
    if (!meant) return;
    setBusy(true);
    let [made, drafted] = [0, 0];
    try {
      for (const one of planned) {
        if ((await change(meant.because(one))).draft) drafted += 1;
        else made += 1;
      }
      if (drafted === 0) tellDone(done);
      else if (made > 0) tellDone(`${made} of ${planned.length} changes are made: the others need approval.`);
    } catch (failure) {
      tellFailure(failure);
      if (made > 0) tellDone(`${made} of ${planned.length} changes are made: look at the rest below.`);
    } finally {
      setBusy(false);
      void refresh();
    }
  }

  return { putBack, busy };
}

import { useState } from "react";
import { useRefresh } from "../../../../api/queries";
import { because } from "../../../../api/reason";
import { Refusal } from "../../../../api/refusal";
import { useChange } from "../../../../parts/change-requests/draft";
import { tellDone } from "../../../../parts/notices";
import { idOf } from "../../../../parts/bulk/tasks";
import type { LeftOut } from "../../../../parts/bulk/trial";
import { counted } from "../../../../words/counts";
import type { Step } from "./preparing";

/** Makes the requests that restore flags. What is refused for one flag keeps no other from it. */
export function useRestoring(onDone: () => void) {
  const refresh = useRefresh();
  const change = useChange();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [refused, setRefused] = useState<readonly LeftOut[]>([]);

  async function run(steps: readonly Step[], reason: string) {
    setBusy(true);
    setError(undefined);
    const left = new Map<string, LeftOut>();
    const made = new Set<string>();
    try {
      for (const { planned, features } of steps) {
        if (features.every((feature) => left.has(idOf(feature)))) continue;
        try {
          const { draft } = await change(because(planned, reason));
          if (!draft) for (const feature of features) made.add(idOf(feature));
        } catch (failure) {
          if (!(failure instanceof Refusal) || failure.status >= 500) throw failure;
          for (const feature of features) left.set(idOf(feature), { feature, reason: failure.lines.join(" ") });
        }
      }
      const whole = [...made].filter((id) => !left.has(id)).length;
      if (whole > 0) tellDone(`${counted(whole, "flag was", "flags were")} put back.`);
      setRefused([...left.values()]);
      if (left.size === 0) onDone();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
      void refresh();
    }
  }

  return { run, busy, error, refused };
}

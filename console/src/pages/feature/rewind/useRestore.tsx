import { useState } from "react";
import { useRefresh } from "../../../api/queries";
import { onlyFor, type Planned } from "../../../api/request";
import { confirm } from "../../../parts/confirm";
import { useChange } from "../../../parts/change-requests/draft";
import { EnvironmentName, isProduction } from "../../../parts/EnvironmentName";
import { tellDone, tellFailure } from "../../../parts/notices";
import { Comparison } from "../compare/Comparison";
import type { Aspect } from "../compare/comparison";
import type { Shown } from "../FeaturePage";

interface Part {
  /** An environment, or nothing where it is about all. */
  name?: string;
  type?: string;
  rows: Aspect[];
}

/** Makes a flag as it was, one request after the other, over what the person saw of it and over nothing newer. */
export function useRestore({ feature, version }: Shown) {
  const refresh = useRefresh();
  const change = useChange();
  const [busy, setBusy] = useState(false);

  async function restore(when: string, planned: readonly Planned[], parts: readonly Part[]) {
    const isLive = parts.some(({ type }) => isProduction(type));
    const [first, ...others] = planned;
    if (!first) return;
    const meant = await confirm({
      title: `Put ${feature.name} back`,
      action: "Put it back",
      danger: isLive,
      reasoned: true,
      requests: [onlyFor(first, version), ...others],
      consequence: (
        <>
          <strong>
            <bdi>{feature.name}</bdi>
          </strong>{" "}
          will be as it was on {when}
          {isLive ? ", in ▲ production, too" : ""}. Later changes of the same are lost.
          {parts.map(({ name, type, rows }) => (
            <section key={name ?? ""}>
              <strong>
                {name === undefined ? "In all environments" : <EnvironmentName name={name} type={type} />}
              </strong>
              <Comparison label={`What changes, ${name ?? "everywhere"}`} rows={rows} heads={["Now", "Then"]} />
            </section>
          ))}
        </>
      ),
    });
    if (!meant) return;
    setBusy(true);
    let [made, drafted] = [0, 0];
    try {
      for (const one of [onlyFor(first, version), ...others]) {
        if ((await change(meant.because(one))).draft) drafted += 1;
        else made += 1;
      }
      if (drafted === 0) tellDone(`${feature.name} is as it was on ${when}.`);
      else if (made > 0) tellDone(`${made} of ${planned.length} changes are made: the others need approval.`);
    } catch (failure) {
      tellFailure(failure);
      if (made > 0) tellDone(`${made} of ${planned.length} changes are made: look at the rest below.`);
    } finally {
      setBusy(false);
      void refresh();
    }
  }

  return { restore, busy };
}

import { onlyFor, type Planned } from "../../../api/request";
import { EnvironmentName, isProduction } from "../../../parts/EnvironmentName";
import { usePuttingBack } from "../../../parts/rewind/usePuttingBack";
import { Comparison } from "../compare/Comparison";
import type { Aspect } from "../compare/comparison";
import type { Shown } from "../shown";

interface Part {
  /** An environment, or nothing where it is about all. */
  name?: string;
  type?: string;
  rows: Aspect[];
}

/** Makes a flag as it was, one request after the other, over what the person saw of it and over nothing newer. */
export function useRestore({ feature, version }: Shown) {
  const { putBack, busy } = usePuttingBack();

  async function restore(when: string, planned: readonly Planned[], parts: readonly Part[]) {
    const isLive = parts.some(({ type }) => isProduction(type));
    await putBack({
      title: `Put ${feature.name} back`,
      action: "Put it back",
      danger: isLive,
      planned: planned.map((one, at) => (at === 0 ? onlyFor(one, version) : one)),
      done: `${feature.name} is as it was ${when}.`,
      consequence: (
        <>
          <strong>
            <bdi>{feature.name}</bdi>
          </strong>{" "}
          will be as it was {when}
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
  }

  return { restore, busy };
}

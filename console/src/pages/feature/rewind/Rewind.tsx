import { Button } from "@mantine/core";
import { useWhyNot } from "../../../api/queries";
import { ActionButton } from "../../../parts/ActionButton";
import { EnvironmentName, isProduction } from "../../../parts/EnvironmentName";
import type { Found } from "../../../parts/rewind/eventsBack";
import { Log } from "../../../parts/rewind/Log";
import { Moments } from "../../../parts/rewind/Moments";
import { useSegmentNames } from "../../../parts/strategies/segments";
import { Comparison } from "../compare/Comparison";
import { comparison, differs, type Aspect } from "../compare/comparison";
import type { Shown } from "../shown";
import { restoring } from "./restoring";
import { birth, settingsInWords, stateOf, states, type Place, type State } from "./state";
import { useRestore } from "./useRestore";

/** The flag as it was after each of its events, what differs from now, and the way back to it. */
export default function Rewind({ feature, version }: Shown) {
  const { project, name } = feature;
  return (
    <Log of={["flag", project, name, version]} filters={{ feature: `IS:${name}` }} birth={birth}>
      {(found) => <View key={version} feature={feature} version={version} found={found} />}
    </Log>
  );
}

const everywhere = (now: State, then: State): Aspect[] => {
  const [one, other] = [settingsInWords(now), settingsInWords(then)];
  return Object.keys(one).map((what) => ({ what, one: one[what], other: other[what] }));
};
const nothing: Place = { enabled: false, strategies: [], variants: [] };

function View({ feature, version, found }: Shown & { found: Found }) {
  const segments = useSegmentNames();
  const whyNot = useWhyNot();
  const { restore, busy } = useRestore({ feature, version });
  const moments = states(stateOf(feature), found.events);
  return (
    <Moments found={found} moments={moments} birth={birth}>
      {({ now, then, when, heads }) => {
        const parts = [
          { rows: everywhere(now, then) },
          ...feature.environments.map(({ name, type }) => ({
            name,
            type,
            rows: comparison(now.environments[name] ?? nothing, then.environments[name] ?? nothing, segments),
          })),
        ];
        const changed = parts
          .map((part) => ({ ...part, rows: part.rows.filter(differs) }))
          .filter(({ rows }) => rows.length);
        const planned = restoring(feature, now, then);
        return (
          <>
            {parts.map(({ rows, ...part }) => (
              <section key={"name" in part ? part.name : ""}>
                <strong>
                  {"name" in part ? <EnvironmentName name={part.name} type={part.type} /> : "In all environments"}
                </strong>
                <Comparison label={"name" in part ? part.name : "In all environments"} rows={rows} heads={heads} />
              </section>
            ))}
            <p className="muted">
              Segments, links, favourites and the lifecycle are not part of it: they stay as they are now.
            </p>
            <div>
              {planned[0] ? (
                <ActionButton
                  request={planned[0]}
                  loading={busy}
                  because={planned.map((one) => whyNot(one)).find(Boolean)}
                  color={changed.some((part) => "type" in part && isProduction(part.type)) ? "red" : undefined}
                  onClick={() => void restore(when, planned, changed)}
                >
                  Put this back …
                </ActionButton>
              ) : (
                <Button disabled>Put this back …</Button>
              )}
            </div>
          </>
        );
      }}
    </Moments>
  );
}

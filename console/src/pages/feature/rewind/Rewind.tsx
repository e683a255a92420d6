import { Alert, Button, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useWhyNot } from "../../../api/queries";
import { ActionButton } from "../../../parts/ActionButton";
import { EnvironmentName, isProduction } from "../../../parts/EnvironmentName";
import { Sentence } from "../../../parts/events/EventSentence";
import { Problem } from "../../../parts/Problem";
import { MomentFields } from "../../../parts/rewind/MomentFields";
import { useSegmentNames } from "../../../parts/strategies/segments";
import { Waiting } from "../../../parts/Waiting";
import { inZone, useZone } from "../../../parts/zone";
import { Comparison } from "../compare/Comparison";
import { comparison, differs, type Aspect } from "../compare/comparison";
import type { Shown } from "../FeaturePage";
import { eventsOf, mostEvents, type Found } from "./eventsOf";
import { restoring } from "./restoring";
import { settingsInWords, stateOf, states, type Place, type State } from "./state";
import { useRestore } from "./useRestore";

/** The flag as it was after each of its events, what differs from now, and the way back to it. */
export default function Rewind({ feature, version }: Shown) {
  const found = useQuery({
    // What is shown of the flag and its events belong together.
    queryKey: ["rewind", feature.project, feature.name, version],
    queryFn: ({ signal }) => eventsOf(feature.name, signal),
    retry: false,
  });
  if (found.error && !found.data) return <Problem error={found.error} again={() => void found.refetch()} />;
  if (!found.data) return <Waiting rows={5} />;
  return <Moments key={version} feature={feature} version={version} found={found.data} />;
}

const everywhere = (now: State, then: State): Aspect[] => {
  const [one, other] = [settingsInWords(now), settingsInWords(then)];
  return Object.keys(one).map((what) => ({ what, one: one[what], other: other[what] }));
};
const nothing: Place = { enabled: false, strategies: [], variants: [] };

function Moments({ feature, version, found }: Shown & { found: Found }) {
  const { events, isCut } = found;
  const segments = useSegmentNames();
  const whyNot = useWhyNot();
  const zone = useZone();
  // So many events are taken back.
  const [back, setBack] = useState(0);
  const { restore, busy } = useRestore({ feature, version });
  const all = states(stateOf(feature), events);
  // Before its creation there was no flag.
  const last = events.at(-1)?.type === "feature-created" ? all.length - 2 : all.length - 1;
  const now = all[0]!.state;
  const { state: then, missing } = all[back]!;
  const event = events[back];
  const at = back === 0 || !event ? "now" : inZone(new Date(event.createdAt), zone);
  const parts = [
    { rows: everywhere(now, then) },
    ...feature.environments.map(({ name, type }) => ({
      name,
      type,
      rows: comparison(now.environments[name] ?? nothing, then.environments[name] ?? nothing, segments),
    })),
  ];
  const changed = parts.map((part) => ({ ...part, rows: part.rows.filter(differs) })).filter(({ rows }) => rows.length);
  const planned = restoring(feature, now, then);

  function goTo(wanted: Date) {
    const index = events.findIndex(({ createdAt }) => new Date(createdAt) <= wanted);
    setBack(index < 0 ? last : Math.min(index, last));
  }

  if (last < 1) return <div className="card">Nothing happened to it since it was created.</div>;
  return (
    <div className="card">
      <Stack gap="md">
        <Title order={2}>{back === 0 ? "As it is now" : `As it was after ${at}`}</Title>
        <MomentFields
          back={back}
          last={last}
          at={back === 0 ? undefined : event?.createdAt}
          words={at}
          go={setBack}
          goTo={goTo}
        />
        {event && (
          <div className="muted" role="status">
            {back === 0 ? "Latest event" : "Event"}: <Sentence event={event} />
          </div>
        )}
        {isCut && <Alert color="stone">The event log holds more: only its newest {mostEvents} events are read.</Alert>}
        {missing.length > 0 && (
          <Alert color="yellow" variant="outline" role="note" className="problem" title="This is not exact">
            {missing.map((line) => (
              <div key={line}>{line}</div>
            ))}
          </Alert>
        )}
        {parts.map(({ rows, ...part }) => (
          <section key={"name" in part ? part.name : ""}>
            <strong>
              {"name" in part ? <EnvironmentName name={part.name} type={part.type} /> : "In all environments"}
            </strong>
            <Comparison
              label={"name" in part ? part.name : "In all environments"}
              rows={rows}
              heads={["Now", back === 0 ? "Then" : at]}
            />
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
              onClick={() => void restore(at, planned, changed)}
            >
              Put this back …
            </ActionButton>
          ) : (
            <Button disabled>Put this back …</Button>
          )}
        </div>
      </Stack>
    </div>
  );
}

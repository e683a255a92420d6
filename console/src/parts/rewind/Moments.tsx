import { Alert, Stack, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { number } from "../../words/counts";
import { Sentence } from "../events/EventSentence";
import { inZone, useZone } from "../zone";
import { mostEvents, type Found } from "./eventsBack";
import type { Folded } from "./folding";
import { MomentFields } from "./MomentFields";
import { NotExact } from "./NotExact";

/** Something now and at the moment that was chosen. */
export interface Shown<S> {
  now: S;
  then: S;
  /** When it was so, in words. */
  when: string;
  /** Heads of a comparison of the two. */
  heads: [string, string];
}

interface Props<S> {
  found: Found;
  /** The states after each of the events, newest first. */
  moments: readonly Folded<S>[];
  /** Type of the event before which there was nothing. */
  birth: string;
  children: (shown: Shown<S>) => ReactNode;
}

/** Something as it was after each of its events. */
export function Moments<S>({ found: { events, isCut }, moments, birth, children }: Props<S>) {
  const zone = useZone();
  const [back, setBack] = useState(0);
  if (events.length === 0) return <div className="card">The event log holds nothing that happened to it.</div>;
  // Before its creation it was not there.
  const last = events.at(-1)?.type === birth ? moments.length - 2 : moments.length - 1;
  if (last < 1) return <div className="card">Nothing happened to it since it was created.</div>;
  const isBefore = back === events.length;
  const event = events[isBefore ? back - 1 : back]!;
  const at = inZone(new Date(event.createdAt), zone);
  const words = back === 0 ? "now" : isBefore ? `before ${at}` : at;
  const { state: then, missing } = moments[back]!;

  function goTo(wanted: Date) {
    const index = events.findIndex(({ createdAt }) => new Date(createdAt) <= wanted);
    setBack(index < 0 ? last : Math.min(index, last));
  }

  return (
    <div className="card">
      <Stack gap="md">
        <Title order={2}>
          {back === 0 ? "As it is now" : isBefore ? `As it was ${words}` : `As it was after ${words}`}
        </Title>
        <MomentFields
          back={back}
          last={last}
          at={back === 0 ? undefined : event.createdAt}
          words={words}
          go={setBack}
          goTo={goTo}
        />
        <div className="muted" role="status">
          {back === 0 ? "Latest event" : isBefore ? "Before the event" : "Event"}: <Sentence event={event} />
        </div>
        {isCut && (
          <Alert color="stone">The event log holds more: only its newest {number(mostEvents)} events are read.</Alert>
        )}
        <NotExact missing={missing} />
        {children({
          now: moments[0]!.state,
          then,
          when: isBefore ? words : `on ${at}`,
          heads: ["Now", back === 0 ? "Then" : words],
        })}
      </Stack>
    </div>
  );
}

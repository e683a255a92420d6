import { Alert, Button, Stack, Title } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { useRead } from "../../../../api/queries";
import { request, type Schemas } from "../../../../api/request";
import { EnvironmentName } from "../../../../parts/EnvironmentName";
import { Sentence } from "../../../../parts/events/EventSentence";
import { Moment } from "../../../../parts/Moment";
import { Problem } from "../../../../parts/Problem";
import { MomentFields } from "../../../../parts/rewind/MomentFields";
import { NotExact } from "../../../../parts/rewind/NotExact";
import { RewindArea } from "../../../../parts/rewind/RewindArea";
import { Waiting } from "../../../../parts/Waiting";
import { inZone, useZone } from "../../../../parts/zone";
import { counted, number } from "../../../../words/counts";
import { FlagsThen } from "./FlagsThen";
import { pastOf } from "./past";
import { momentsOf } from "./log";
import { mostEvents, useBeginning, useEventsIn, useLives } from "./reading";
import { SettingsThen } from "./SettingsThen";

/** An environment as it was after each of its events, what differs from now, and the way back to it. */
export default function EnvironmentRewindPage() {
  const { name = "" } = useParams({ strict: false });
  const read = useRead(request("get", "/api/admin/environments/{name}", { params: { path: { name } } }));
  return (
    <RewindArea name={name} list="environments" read={read}>
      {(environment) => <Log key={name} environment={environment} version={read.version} />}
    </RewindArea>
  );
}

interface Shown {
  environment: Schemas["Environment"];
  version: string | undefined;
}

function Log({ environment, version }: Shown) {
  const log = useEventsIn(environment.name);
  const lives = useLives(log.events.at(-1));
  const failed = log.error ?? lives.error;
  if (failed && log.events.length === 0)
    return (
      <Problem
        error={failed}
        again={() => {
          void log.refetch();
          void lives.refetch();
        }}
      />
    );
  if (log.data && log.events.length === 0)
    return <div className="card">The event log holds nothing that happened in this environment.</div>;
  if (!log.data || (!lives.data && !lives.error)) return <Waiting rows={5} />;
  return <Moments {...{ environment, version, log, lives: lives.data, failed }} />;
}

interface Read extends Shown {
  log: ReturnType<typeof useEventsIn>;
  lives: ReturnType<typeof useLives>["data"];
  failed: unknown;
}

function Moments({ environment, version, log, lives, failed }: Read) {
  const { name, type } = environment;
  const zone = useZone();
  // The newest event that is not taken back; nothing for now.
  const [at, setAt] = useState<number>();
  // A time for which older events may have to be read.
  const [wanted, setWanted] = useState<Date>();
  const { isBorn, isWhole, isCut, hasNextPage, isFetchingNextPage, fetchNextPage } = log;
  const moments = useMemo(() => momentsOf(log.events), [log.events]);
  const beginning = useBeginning(isWhole && !isBorn);
  // Before its creation there was no environment, and before events that were not read it is unknown.
  const last = isWhole && !isBorn ? moments.length : moments.length - 1;
  const found = wanted
    ? moments.findIndex(({ createdAt }) => new Date(createdAt) <= wanted)
    : at === undefined
      ? 0
      : moments.findIndex(({ id }) => id <= at);
  const back = found < 0 ? last : Math.min(found, last);
  const moment = moments[Math.min(back, moments.length - 1)]!;
  const when = inZone(new Date(moment.createdAt), zone);
  const isBefore = back === moments.length;
  const words = back === 0 ? "now" : isBefore ? `before ${when}` : when;
  // The slider does not wait for what is worked out.
  const shown = useDeferredValue(back);
  const since = shown === 0 ? Infinity : (moments[shown]?.id ?? 0);
  const oldest = since === 0 ? (moments.at(-1)?.events.at(-1)?.id ?? 0) - 1 : since;
  const isCovered = Boolean(failed) || (lives !== undefined && lives.since <= oldest + 1);
  const past = useMemo(() => {
    const all = [...moments.flatMap(({ events }) => events), ...(lives?.events ?? [])];
    const undone = all.filter(({ id }) => id > oldest).sort((one, other) => other.id - one.id);
    return pastOf(name, undone);
  }, [name, oldest, moments, lives]);

  // A time that is older than what was read: the rest comes page by page.
  const isFar = wanted !== undefined && found < 0 && hasNextPage && !isFetchingNextPage && !log.isError;
  useEffect(() => {
    if (isFar) void fetchNextPage();
  }, [isFar, fetchNextPage]);

  function go(to: number) {
    setWanted(undefined);
    setAt(to === 0 ? undefined : (moments[to]?.id ?? 0));
  }

  const missing = [
    ...past.missing,
    ...(lives?.isCut ? ["The event log holds more flags that were created or archived since than are read here."] : []),
    ...(failed ? ["The event log could not be read as a whole."] : []),
  ];
  return (
    <Stack gap="md">
      <div className="card">
        <Stack gap="sm">
          <Title order={2}>
            {back === 0 ? "As it is now" : isBefore ? `As it was before ${when}` : `As it was after ${when}`}
          </Title>
          <MomentFields
            back={back}
            last={last}
            at={back === 0 ? undefined : moment.createdAt}
            words={words}
            go={go}
            goTo={setWanted}
          />
          <div className="muted" role="status">
            {back === 0 ? "Latest event" : isBefore ? "Before the event" : "Event"}:{" "}
            <Sentence event={moment.events[0]!} />
            {moment.events.length > 1 && ` and ${counted(moment.events.length - 1, "more event", "more events")}`}
          </div>
          {isCut && (
            <Alert color="stone">
              The event log holds more: only its newest {number(mostEvents)} events of{" "}
              <EnvironmentName {...{ name, type }} /> are read.
            </Alert>
          )}
          {hasNextPage && (
            <div>
              <Button
                variant="default"
                size="compact-sm"
                loading={isFetchingNextPage}
                onClick={() => void fetchNextPage()}
              >
                Read older events
              </Button>{" "}
              <span className="muted figures">
                {number(log.events.length)} of {number(log.total)} are read
              </span>
            </div>
          )}
          {isWhole && !isBorn && beginning.data && (
            <p className="muted">
              The event log reaches back to <Moment at={beginning.data} absolute />. Nothing is known of the time
              before.
            </p>
          )}
          <NotExact missing={missing} />
        </Stack>
      </div>
      <SettingsThen environment={environment} version={version} then={past.settings} when={words} />
      {isCovered ? (
        <FlagsThen
          key={since}
          environment={environment}
          past={past}
          when={words}
          isNow={shown === 0}
          newest={moments[0]?.id ?? 0}
        />
      ) : (
        <Waiting rows={5} />
      )}
      <p className="muted">
        Segments, dependencies, default strategies, freezes and API tokens are not part of it: they stay as they are
        now.
      </p>
    </Stack>
  );
}

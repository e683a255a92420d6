import { Text } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { serverTime } from "../../api/clock";
import { request, type Schemas } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { Moment, WithMoments } from "../../parts/Moment";
import { Problem } from "../../parts/Problem";
import { counted, number } from "../../words/counts";

const plan = (since?: number) => request("get", "/api/admin/event-log/integrity", { params: { query: { since } } });

interface Found {
  verified: number;
  last: Schemas["EventLogIntegrity"];
  /** Absent as long as there is more to look at. */
  at?: string;
}

/** Whether the event log is what it was when it was written, at request: it takes a second or so for each 100,000 events. */
export function Integrity() {
  const [found, setFound] = useState<Found>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function check() {
    setBusy(true);
    setError(undefined);
    setFound(undefined);
    try {
      let since: number | undefined;
      let verified = 0;
      for (;;) {
        const { data } = await send(plan(since));
        verified += data.verified;
        const isOver = !data.holds || data.next === null;
        setFound({ verified, last: data, at: isOver ? new Date(serverTime()).toISOString() : undefined });
        if (isOver) break;
        since = data.next ?? undefined;
      }
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <section className="card" aria-label="Integrity of the event log">
      <h2>Integrity of the event log</h2>
      <div role="status">
        {found ? (
          <Outcome {...found} />
        ) : (
          <p className="muted">Every event is bound to those before it. Not checked since this page was opened.</p>
        )}
      </div>
      <Problem error={error} />
      <ActionButton request={plan()} variant="default" loading={busy} onClick={() => void check()}>
        Check the event log
      </ActionButton>
    </section>
  );
}

function Outcome({ verified, last, at }: Found) {
  if (!at)
    return (
      <p>
        {number(verified)} of about {counted(last.newest, "event")} hold so far …
      </p>
    );
  const checked = (
    <>
      Checked <Moment at={at} absolute />.
    </>
  );
  if (last.fault)
    return (
      <p>
        <span className="chip warning">It does not hold</span> from event {last.fault.eventId} on:{" "}
        <WithMoments text={last.fault.message} />. Before it {counted(verified, "event")} hold. {checked}
      </p>
    );
  return (
    <>
      <p>
        It holds: {verified} events are those that were written
        {last.confirmedCheckpoints > 0 && <>, as {last.confirmedCheckpoints} signed checkpoints say</>}. {checked}
      </p>
      {last.newestCheckpoint && (
        <Text size="sm" className="muted">
          The last checkpoint, which is worth keeping elsewhere, is of{" "}
          <Moment at={last.newestCheckpoint.createdAt} absolute />.
        </Text>
      )}
    </>
  );
}

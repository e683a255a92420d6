import { Button, Group, Stack } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useRead } from "../../api/queries";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { actorOf } from "../../parts/events/actor";
import { sentence } from "../../parts/events/sentence";
import { Moment, WithMoments } from "../../parts/Moment";
import { Unread } from "../../parts/Unread";
import { perPage, planAgain, planLog, type Delivery } from "./integrations";
import { Outcome, Sent } from "./Sent";
import classes from "./Log.module.css";

/** What became of each event on its way, newest first. It follows what happens while it is looked at. */
export function Log({ id }: { id: number }) {
  const [offset, setOffset] = useState(0);
  const read = useRead(planLog(id, offset), { refetchInterval: 2_000 });
  const { act, busy } = useAct();
  if (!read.data) return <Unread read={read} />;
  const deliveries = read.data.integrationEvents;
  const failed = deliveries.filter(({ state }) => state === "failed");

  async function again(some?: readonly Delivery[]) {
    const answer = await act({ request: planAgain(id, some) });
    return answer?.data.redelivered;
  }

  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <span className="muted">Deliveries that ended are kept for 30 days, at most the newest 1,000.</span>
        <ActionButton
          request={planAgain(id)}
          variant="default"
          size="compact-sm"
          loading={busy}
          because={failed.length === 0 && offset === 0 ? "Nothing on this page failed." : undefined}
          onClick={() => void again()}
        >
          Deliver all that failed again
        </ActionButton>
      </Group>
      {deliveries.length === 0 && (
        <div className="card">
          {offset === 0 ? "Nothing was delivered yet: nothing happened that it is told of." : "There is nothing older."}
        </div>
      )}
      <ol className={classes.log} aria-label="Deliveries">
        {deliveries.map((delivery) => (
          <li key={delivery.id} className={classes.delivery}>
            <Outcome state={delivery.state} words={delivery.stateDetails} />
            <div className="breaks">
              <Happened delivery={delivery} />
            </div>
            <div className="muted">
              <Moment at={delivery.createdAt} absolute /> · {delivery.attempts}{" "}
              {delivery.attempts === 1 ? "attempt" : "attempts"}
            </div>
            <Sent details={delivery.details} />
            {delivery.state === "failed" && (
              <ActionButton
                request={planAgain(id, [delivery])}
                variant="default"
                size="compact-xs"
                loading={busy}
                onClick={() => void again([delivery])}
              >
                Deliver again
              </ActionButton>
            )}
          </li>
        ))}
      </ol>
      <Group gap="sm" justify="flex-end">
        <Button variant="default" size="compact-sm" disabled={offset === 0} onClick={() => setOffset(0)}>
          Newest
        </Button>
        <Button
          variant="default"
          size="compact-sm"
          disabled={deliveries.length < perPage}
          onClick={() => setOffset(offset + perPage)}
        >
          Older
        </Button>
      </Group>
    </Stack>
  );
}

function Happened({ delivery: { event } }: { delivery: Delivery }) {
  if (!event) return <span className="muted">The event is no longer in the event log.</span>;
  return (
    <>
      <bdi>{actorOf(event)}</bdi>{" "}
      <WithMoments
        text={sentence(event)
          .map(({ text }) => text)
          .join("")}
      />{" "}
      <Link to="/history" search={{ event: String(event.id) }}>
        Look at it<span className="visually-hidden">: event {event.id}</span>
      </Link>
    </>
  );
}

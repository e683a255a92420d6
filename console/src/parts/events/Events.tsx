import { Button, Group } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { first } from "../../api/address";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { arriving } from "../arriving";
import { Moment, Zone } from "../Moment";
import { Rows } from "../Rows";
import { Turning } from "../Turning";
import { tellFailure } from "../notices";
import { exportEvents, mostEvents } from "./exportEvents";
import { grouped, isGroup, type EventGroup } from "./groups";
import { Sentence } from "./EventSentence";
import classes from "./Events.module.css";
import { number } from "../../words/counts";
import { Unread } from "../Unread";

const EventDrawer = arriving(() => import("./EventDrawer"), { waiting: null, isBeside: true });

const pageSize = 100;

interface Props {
  /** Filters of the search, as the API names them. */
  filter: Record<string, string | undefined>;
  /** On its own page a flag is not named in each row. */
  isOfOneFlag?: boolean;
}

/**
 * What happened, newest first: a sentence each, and one for what an act made at once. Which page, and which event is open,
 * stands in the address.
 */
export function Events({ filter, isOfOneFlag }: Props) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const offset = Number(first(search.offset) ?? 0) || 0;
  const found = useRead(
    request("get", "/api/admin/search/events", {
      params: { query: { ...filter, offset: String(offset), limit: String(pageSize) } },
    }),
  );
  const go = (changed: Record<string, string | undefined>) =>
    void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, ...changed }) as never });
  const opened = first(search.event);
  const [isWriting, setWriting] = useState(false);
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());

  async function save() {
    setWriting(true);
    await exportEvents(filter).catch(tellFailure);
    setWriting(false);
  }

  if (!found.data) return <Unread read={found} rows={10} />;
  const { events, total } = found.data;
  const rows = grouped(events).flatMap((entry): Line[] => {
    if (!isGroup(entry)) return [{ event: entry }];
    const isOpen = unfolded.has(idOf(entry));
    return [{ group: entry, isOpen }, ...(isOpen ? entry.events.map((event) => ({ event, isInGroup: true })) : [])];
  });
  const unfold = (id: number) =>
    setUnfolded((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]));
  return (
    <div className={classes.events}>
      {events.length === 0 ? (
        <div className="card">Nothing happened that fits.</div>
      ) : (
        <Rows
          label="Events"
          asCards
          count={rows.length}
          columns={4}
          rowHeight={37}
          dimmed={found.isPlaceholderData}
          keyOf={(index) => keyOf(rows[index]!)}
          head={
            <>
              <th>What</th>
              <th className={classes.wide}>Project</th>
              <th>
                When <Zone />
              </th>
              <th>
                <span className="visually-hidden">Open</span>
              </th>
            </>
          }
          row={(index) => {
            const line = rows[index]!;
            return "group" in line ? (
              <GroupRow {...line} unfold={() => unfold(idOf(line.group))} />
            ) : (
              <Row {...line} isOfOneFlag={isOfOneFlag} open={(id) => go({ event: id })} />
            );
          }}
        />
      )}
      <div className={classes.foot}>
        <span role="status" className="muted figures">
          {total > 0 && `${number(offset + 1)}–${number(offset + events.length)} of ${number(total)}`}
        </span>
        <Group gap="sm">
          <Button
            variant="default"
            size="compact-sm"
            loading={isWriting}
            disabled={total === 0}
            title={total > mostEvents ? `The newest ${number(mostEvents)} of them` : undefined}
            onClick={() => void save()}
          >
            Save as CSV
          </Button>
          <Turning
            {...{ offset, total, pageSize }}
            count={events.length}
            words={["Newer", "Older"]}
            turn={(to) => go({ offset: to ? String(to) : undefined })}
          />
        </Group>
      </div>
      {opened && (
        <EventDrawer
          id={opened}
          known={events.find(({ id }) => String(id) === opened)}
          onClose={() => go({ event: undefined })}
        />
      )}
    </div>
  );
}

type Line = { event: Schemas["Event"]; isInGroup?: boolean } | { group: EventGroup; isOpen: boolean };

/** A group goes by its newest event. */
const idOf = ({ events }: EventGroup) => events[0]!.id;
const keyOf = (line: Line) => ("group" in line ? `group ${idOf(line.group)}` : String(line.event.id));

function GroupRow({ group, isOpen, unfold }: { group: EventGroup; isOpen: boolean; unfold: () => void }) {
  const [newest] = group.events;
  return (
    <>
      <td className={classes.what}>
        <span className="breaks">
          <strong>
            <bdi>{newest!.createdBy}</bdi>
          </strong>{" "}
          {group.said}
        </span>
        <Reason of={newest!} />
      </td>
      <td className={classes.wide}>
        <bdi className="short">{newest!.project ?? ""}</bdi>
      </td>
      <td className={classes.when}>
        <Moment at={newest!.createdAt} absolute />
      </td>
      <td>
        <Button variant="default" size="compact-xs" aria-expanded={isOpen} onClick={unfold}>
          {isOpen ? "Fold" : "Unfold"}{" "}
          <span className="visually-hidden">
            the {group.events.length} events: {group.said}
          </span>
        </Button>
      </td>
    </>
  );
}

/** Why it was done, where that was given. */
function Reason({ of: { reason } }: { of: Schemas["Event"] }) {
  if (!reason) return null;
  return (
    <div className="muted breaks">
      Reason: <bdi>{reason}</bdi>
    </div>
  );
}

interface RowProps {
  event: Schemas["Event"];
  isInGroup?: boolean;
  isOfOneFlag?: boolean;
  open: (id: string) => void;
}

function Row({ event, isInGroup = false, isOfOneFlag, open }: RowProps) {
  return (
    <>
      <td className={`${classes.what} ${isInGroup ? classes.inside : ""}`}>
        <Sentence event={event} isOfOneFlag={isOfOneFlag} />
        {!isInGroup && <Reason of={event} />}
      </td>
      <td className={classes.wide} data-label="Project">
        {event.project && (
          <bdi className="short" title={event.project}>
            {event.project}
          </bdi>
        )}
      </td>
      <td className={classes.when}>
        <Moment at={event.createdAt} absolute />
      </td>
      <td>
        <Button
          variant="default"
          size="compact-xs"
          onClick={() => open(String(event.id))}
          aria-label={`Open event ${event.id}`}
        >
          Open
        </Button>
      </td>
    </>
  );
}

import { Button, Group } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { first } from "../../api/address";
import { useEnvironments, useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { EnvironmentName } from "../EnvironmentName";
import { Moment } from "../Moment";
import { Problem } from "../Problem";
import { Rows } from "../Rows";
import { Waiting } from "../Waiting";
import { tellFailure } from "../notices";
import { EventDrawer } from "./EventDrawer";
import { exportEvents, mostEvents } from "./exportEvents";
import { sentence, type Piece } from "./sentence";
import classes from "./Events.module.css";

const pageSize = 100;

interface Props {
  /** Filters of the search, as the API names them. */
  filter: Record<string, string | undefined>;
}

/** What happened, newest first: a sentence each. Which page, and which event is open, stands in the address. */
export function Events({ filter }: Props) {
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

  async function save() {
    setWriting(true);
    await exportEvents(filter).catch(tellFailure);
    setWriting(false);
  }

  if (found.error && !found.data) return <Problem error={found.error} again={() => void found.refetch()} />;
  if (!found.data) return <Waiting rows={10} />;
  const { events, total } = found.data;
  return (
    <div className={classes.events}>
      {events.length === 0 ? (
        <div className="card">Nothing happened that fits.</div>
      ) : (
        <Rows
          label="Events"
          count={events.length}
          columns={4}
          rowHeight={37}
          dimmed={found.isPlaceholderData}
          keyOf={(index) => String(events[index]!.id)}
          head={
            <>
              <th>What</th>
              <th className={classes.wide}>Project</th>
              <th>When</th>
              <th>
                <span className="visually-hidden">Open</span>
              </th>
            </>
          }
          row={(index) => <Row event={events[index]!} open={(id) => go({ event: id })} />}
        />
      )}
      <div className={classes.foot}>
        <span role="status" className="muted figures">
          {total > 0 &&
            `${(offset + 1).toLocaleString()}–${(offset + events.length).toLocaleString()} of ${total.toLocaleString()}`}
        </span>
        <Group gap="sm">
          <Button
            variant="default"
            size="compact-sm"
            loading={isWriting}
            disabled={total === 0}
            title={total > mostEvents ? `The newest ${mostEvents} of them` : undefined}
            onClick={() => void save()}
          >
            Save as CSV
          </Button>
          <Button
            variant="default"
            size="compact-sm"
            disabled={offset === 0}
            onClick={() => go({ offset: offset > pageSize ? String(offset - pageSize) : undefined })}
          >
            Newer
          </Button>
          <Button
            variant="default"
            size="compact-sm"
            disabled={offset + events.length >= total}
            onClick={() => go({ offset: String(offset + pageSize) })}
          >
            Older
          </Button>
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

function Row({ event, open }: { event: Schemas["Event"]; open: (id: string) => void }) {
  return (
    <>
      <td className={classes.what}>
        <Sentence event={event} />
      </td>
      <td className={classes.wide}>
        <bdi className="short" title={event.project ?? undefined}>
          {event.project ?? ""}
        </bdi>
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

export function Sentence({ event }: { event: Schemas["Event"] }) {
  const environments = useEnvironments();
  const shown = ({ text, kind }: Piece) => {
    if (kind === "environment")
      return <EnvironmentName name={text} type={environments.find(({ name }) => name === text)?.type} />;
    if (kind === "feature" && event.project && event.featureName) {
      return (
        <Link
          to="/projects/$projectId/features/$featureName"
          params={{ projectId: event.project, featureName: event.featureName }}
        >
          <bdi>{text}</bdi>
        </Link>
      );
    }
    return kind ? <bdi>{text}</bdi> : text;
  };
  return (
    <span className="breaks">
      <strong>
        <bdi>{event.createdBy}</bdi>
      </strong>{" "}
      {sentence(event).map((piece, at) => (
        <span key={at}>{shown(piece)}</span>
      ))}
    </span>
  );
}

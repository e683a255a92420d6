import { Alert, Button, Code, CopyButton, Drawer, Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRead } from "../../api/queries";
import { request as plan, type Schemas } from "../../api/request";
import { ActionButton } from "../ActionButton";
import { Moment } from "../Moment";
import { Problem } from "../Problem";
import { Waiting } from "../Waiting";
import { changes } from "./changes";
import { Sentence } from "./EventSentence";
import { Differences } from "./Differences";
import { putBack as wayBack } from "./putBack";
import { requestOf } from "./sentence";
import { usePutBack } from "./usePutBack";

interface Props {
  id: string;
  /** The event, where the list holds it. */
  known?: Schemas["Event"];
  onClose: () => void;
}

/** One event: what differs, and the way back. */
export default function EventDrawer({ id, known, onClose }: Props) {
  // There is no way yet to read one event by its id: this answers those up to it, newest first.
  const read = useRead(plan("post", "/api/admin/events/search", { body: { offset: Number(id) || 0, limit: 1 } }), {
    enabled: !known,
  });
  const found = read.data?.events[0];
  const event = known ?? (String(found?.id) === id ? found : undefined);
  return (
    <Drawer opened onClose={onClose} size="lg" title={`Event ${id}`}>
      {event ? (
        <Opened event={event} />
      ) : read.error ? (
        <Problem error={read.error} again={() => void read.refetch()} />
      ) : read.data && !read.isPlaceholderData ? (
        <Alert>There is no such event, or you may not see it.</Alert>
      ) : (
        <Waiting />
      )}
    </Drawer>
  );
}

function Opened({ event }: { event: Schemas["Event"] }) {
  const lines = changes(event.preData, event.data);
  const way = wayBack(event);
  const request = requestOf(event);
  const { putBack, busy } = usePutBack(event, way);

  return (
    <Stack gap="md">
      <Sentence event={event} />
      <Text size="sm" className="muted">
        <Moment at={event.createdAt} absolute /> · {event.type}
      </Text>
      {event.reason && (
        <Text size="sm" className="breaks">
          Reason: <bdi>{event.reason}</bdi>
        </Text>
      )}
      {lines.length > 0 ? (
        <Differences label="What changed" heads={["Before", "After"]} lines={lines} />
      ) : (
        <Text size="sm" className="muted">
          The event holds no data: its sentence says all.
        </Text>
      )}
      <Group gap="sm">
        {way && (
          <ActionButton request={way} loading={busy} variant="default" onClick={() => void putBack()}>
            Put it back …
          </ActionButton>
        )}
        {request !== undefined && event.project && (
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link
                to="/projects/$projectId/change-requests/$id"
                params={{ projectId: event.project ?? "", id: String(request) }}
                {...props}
              />
            )}
          >
            Open the change request
          </Button>
        )}
        <CopyButton value={location.href}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? "Copied" : "Copy the link"}
            </Button>
          )}
        </CopyButton>
      </Group>
      <details className="request">
        <summary>As JSON</summary>
        <Code block tabIndex={0} role="region" aria-label="As JSON">
          {JSON.stringify(event, null, 2)}
        </Code>
      </details>
    </Stack>
  );
}

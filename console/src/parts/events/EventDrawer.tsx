import { Alert, Button, Code, CopyButton, Drawer, Group, Stack, Table, Text } from "@mantine/core";
import { useEnvironments, useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { ActionButton } from "../ActionButton";
import { useAct } from "../act";
import { confirm } from "../confirm";
import { isProduction } from "../EnvironmentName";
import { Moment } from "../Moment";
import { Problem } from "../Problem";
import { Waiting } from "../Waiting";
import { changes } from "./changes";
import { Sentence } from "./Events";
import { putBack } from "./putBack";

interface Props {
  id: string;
  /** The event, where the list holds it. */
  known?: Schemas["Event"];
  onClose: () => void;
}

/** One event: what differs, and the way back. */
export function EventDrawer({ id, known, onClose }: Props) {
  // There is no way yet to read one event by its id: this answers those up to it, newest first.
  const read = useRead(request("post", "/api/admin/events/search", { body: { offset: Number(id) || 0, limit: 1 } }), {
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
  const { act, busy } = useAct();
  const environments = useEnvironments();
  const lines = changes(event.preData, event.data);
  const way = putBack(event);

  async function goBack() {
    if (!way) return;
    const type = environments.find(({ name }) => name === event.environment)?.type;
    const isSure = await confirm({
      title: "Put it back",
      action: "Put it back",
      danger: isProduction(type),
      requests: [way],
      consequence: (
        <>
          What this event changed will be as it was before it
          {isProduction(type) ? ", in ▲ production" : ""}. Later changes of the same are lost; those of other things
          stay.
        </>
      ),
    });
    if (isSure) await act({ request: way, done: "It is as it was before." });
  }

  return (
    <Stack gap="md">
      <Sentence event={event} />
      <Text size="sm" className="muted">
        <Moment at={event.createdAt} absolute /> · {event.type}
      </Text>
      {lines.length > 0 ? (
        <div className="scrolls" tabIndex={0} role="region" aria-label="What changed">
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>What</Table.Th>
                <Table.Th>Before</Table.Th>
                <Table.Th>After</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {lines.slice(0, 200).map(({ path, before, after }, at) => (
                <Table.Tr key={at}>
                  <Table.Td className="mono breaks">{path}</Table.Td>
                  <Table.Td className="mono breaks">
                    <bdi>{before}</bdi>
                  </Table.Td>
                  <Table.Td className="mono breaks">
                    <bdi>{after}</bdi>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      ) : (
        <Text size="sm" className="muted">
          The event holds no data: its sentence says all.
        </Text>
      )}
      <Group gap="sm">
        {way && (
          <ActionButton request={way} loading={busy} variant="default" onClick={() => void goBack()}>
            Put it back …
          </ActionButton>
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

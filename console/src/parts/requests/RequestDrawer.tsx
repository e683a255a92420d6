import { Code, Drawer, Group, Text } from "@mantine/core";
import { useRecorded, type Recorded } from "../../api/recorder";
import { Moment } from "../Moment";
import { OperationLinks } from "./RequestPreview";

/** The last requests of this tab: whatever the console did, a script can do. */
export function RequestDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const requests = useRecorded();
  return (
    <Drawer opened={opened} onClose={onClose} size="lg" title="Requests of this tab">
      {requests.length === 0 && <Text size="sm">None yet.</Text>}
      {requests.map((request) => (
        <Entry key={request.number} request={request} />
      ))}
    </Drawer>
  );
}

function Entry({ request }: { request: Recorded }) {
  const { method, address, status, took, errorId, body, operation, at } = request;
  const failed = status === undefined || status >= 400;
  return (
    <details className="recorded">
      <summary>
        <span className="mono breaks">
          {method} {address}
        </span>
        <span className={failed ? "figures danger" : "figures muted"}>
          {status ?? "no answer"} · {Math.round(took)} ms
        </span>
      </summary>
      <Text size="xs" className="muted">
        {operation.summary} · <Moment at={at.toISOString()} absolute />
        {errorId ? ` · error id ${errorId}` : ""}
      </Text>
      {body !== undefined && (
        <Code block tabIndex={0} role="region" aria-label="Body">
          {JSON.stringify(body, null, 2)}
        </Code>
      )}
      <Group gap="md">
        <OperationLinks operation={operation} />
      </Group>
    </details>
  );
}

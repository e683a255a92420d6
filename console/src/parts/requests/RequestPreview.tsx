import { Anchor, Button, Code, CopyButton, Group } from "@mantine/core";
import { root } from "../../api/client";
import { curl } from "../../api/curl";
import type { Operation, Planned } from "../../api/request";

/** The request that a click will make, as a command, and where it is described. */
export function RequestPreview({ requests }: { requests: Planned[] }) {
  const commands = requests.map(curl).join("\n\n");
  const [first] = requests;
  if (!first) return null;
  return (
    <details className="request">
      <summary>Request{requests.length > 1 ? `s (${requests.length})` : ""}</summary>
      <Code block tabIndex={0} role="region" aria-label="As a command">
        {commands}
      </Code>
      <Group gap="md" mt={4}>
        <CopyButton value={commands}>
          {({ copied, copy }) => (
            <Button size="compact-xs" variant="default" onClick={copy}>
              {copied ? "Copied" : "Copy"}
            </Button>
          )}
        </CopyButton>
        <OperationLinks operation={first.operation} />
      </Group>
    </details>
  );
}

export function OperationLinks({ operation: { id, tag } }: { operation: Operation }) {
  return (
    <>
      <Anchor size="xs" href={`${root}/docs/#tag/${tag}/operation/${id}`} target="_blank" rel="noreferrer">
        Read about {id}
      </Anchor>
      <Anchor size="xs" href={`${root}/docs/openapi/#/${tag}/${id}`} target="_blank" rel="noreferrer">
        Try {id}
      </Anchor>
    </>
  );
}

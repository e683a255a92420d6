import { Code, Group, Text } from "@mantine/core";
import { useInstance } from "../../api/queries";
import { CopyValue } from "../../parts/SecretOnce";

/** The address that every directory comes in by. */
export function ScimAddress() {
  const base = useInstance()?.unleashUrl.replace(/\/$/, "");
  if (!base) return null;
  return (
    <>
      <Text size="sm">The directory wants to know this address:</Text>
      <Group gap="sm">
        <Code className="breaks">{`${base}/scim`}</Code>
        <CopyValue value={`${base}/scim`} what="the address" />
      </Group>
    </>
  );
}

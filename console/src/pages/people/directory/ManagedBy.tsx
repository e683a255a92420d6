import { Text } from "@mantine/core";
import { useRead } from "../../../api/queries";
import { directoryName, readDirectories, type Managed } from "../../../parts/directories";

interface Props {
  managed: Managed;
  /** What follows from it. */
  children: string;
}

/** Which directory manages a user or a group, above the form that then changes less of it. */
export function ManagedBy({ managed: { scimDirectory }, children }: Props) {
  const entries = useRead(readDirectories, { staleTime: 60_000 }).data?.directories;
  return (
    <Text size="sm" className="muted breaks">
      Managed by <bdi>{directoryName(scimDirectory, entries)}</bdi>. {children}
    </Text>
  );
}

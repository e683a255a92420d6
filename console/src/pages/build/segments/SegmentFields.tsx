import { Select, Text } from "@mantine/core";
import { useProjects } from "../../../api/queries";
import { NameAndDescription } from "../../../parts/forms/NameAndDescription";
import { Constraints } from "../../../parts/strategies/Constraints";
import type { Draft } from "./plans";

interface Props {
  draft: Draft;
  change: (changed: Partial<Draft>) => void;
  /** Whether it stays in its project. */
  isBound?: boolean;
}

/** Whom a segment is about. */
export function SegmentFields({ draft, change, isBound = false }: Props) {
  const projects = useProjects();
  return (
    <>
      <NameAndDescription draft={draft} change={change} />
      {!isBound && (
        <Select
          label="For the strategies of"
          clearable
          clearButtonProps={{ "aria-label": "All projects" }}
          searchable
          limit={50}
          placeholder="All projects"
          data={projects.map(({ id, name }) => ({ value: id, label: name }))}
          value={draft.project || null}
          onChange={(project) => change({ project: project ?? "" })}
        />
      )}
      <Text size="sm">
        {draft.constraints.length === 0
          ? "Without a constraint everybody is in it."
          : "Somebody is in it when all of these hold:"}
      </Text>
      <Constraints constraints={draft.constraints} change={(constraints) => change({ constraints })} />
    </>
  );
}

import { Select, Text, TextInput, Textarea } from "@mantine/core";
import { useProjects } from "../../../api/queries";
import { Constraints } from "../../../parts/strategies/Constraints";
import type { Draft } from "./plans";

interface Props {
  draft: Draft;
  change: (changed: Partial<Draft>) => void;
}

/** Whom a segment is about. */
export function SegmentFields({ draft, change }: Props) {
  const projects = useProjects();
  return (
    <>
      <TextInput
        data-autofocus
        label="Name"
        required
        maxLength={255}
        value={draft.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <Textarea
        label="Description"
        autosize
        minRows={2}
        maxRows={6}
        maxLength={1000}
        value={draft.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
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
      <Text size="sm">
        {draft.constraints.length === 0
          ? "Without a condition everybody is in it."
          : "Somebody is in it when all of these hold:"}
      </Text>
      <Constraints constraints={draft.constraints} change={(constraints) => change({ constraints })} />
    </>
  );
}

import { Select } from "@mantine/core";
import { useProjects } from "../../api/queries";

interface Props {
  label?: string;
  /** Its id; empty before one is chosen. */
  project: string;
  onChange: (id: string) => void;
}

/** The choice of a project, without which a page has nothing to show. */
export function ProjectField({ label = "Project", project, onChange }: Props) {
  const projects = useProjects();
  return (
    <Select
      label={label}
      searchable
      limit={50}
      allowDeselect={false}
      data={projects.map(({ id, name }) => ({ value: id, label: name }))}
      value={project || null}
      onChange={(id) => id && onChange(id)}
    />
  );
}

import { Select } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useProjects } from "../../api/queries";

/** The project that an application belongs to. */
export function ProjectField({ project, onChange }: { project: string; onChange: (id: string) => void }) {
  const projects = useProjects();
  return (
    <Select
      label="Project"
      searchable
      limit={50}
      allowDeselect={false}
      data={projects.map(({ id, name }) => ({ value: id, label: name }))}
      value={project || null}
      onChange={(id) => id && onChange(id)}
    />
  );
}

/** What is missing where a project uses no environment, and where to mend it. */
export const NoEnvironment = ({ project }: { project: string }) => (
  <p>
    The project uses no environment.{" "}
    <Link to="/projects/$projectId/$tab" params={{ projectId: project, tab: "environments" }}>
      Give it one first
    </Link>
    .
  </p>
);

import { Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";

interface Props {
  projectId: string;
  /** Absent until it is known. */
  name: string | undefined;
  /** What of the project the page is about: "Health of". */
  of: string;
}

/** Which project a page is about: by its name, and small by its id. */
export function ProjectHead({ projectId, name = projectId, of }: Props) {
  return (
    <div>
      <div className="muted">
        <Link to="/projects">Projects</Link>
      </div>
      <Title order={1} className="breaks">
        {of} <bdi>{name}</bdi>
      </Title>
      <div className="muted mono breaks">{projectId}</div>
    </div>
  );
}

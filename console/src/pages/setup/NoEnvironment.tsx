import { Link } from "@tanstack/react-router";

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

import { Link } from "@tanstack/react-router";
import { ScrollingNav } from "../ScrollingNav";

export const projectTabs = {
  overview: "Overview",
  features: "Feature flags",
  health: "Health",
  history: "Event log",
  archive: "Archive",
  environments: "Environments",
  access: "Access",
  tokens: "API tokens",
  settings: "Settings",
} as const;

/** What there is about a project. */
export function ProjectTabs({ projectId, tab }: { projectId: string; tab: string }) {
  return (
    <ScrollingNav label="About this project">
      {Object.entries(projectTabs).map(([name, label]) => (
        <Link
          key={name}
          to={
            name === "overview"
              ? "/projects/$projectId"
              : name === "features"
                ? "/projects/$projectId/features"
                : "/projects/$projectId/$tab"
          }
          params={{ projectId, tab: name }}
          aria-current={name === tab ? "page" : undefined}
          activeOptions={{ exact: true }}
        >
          {label}
        </Link>
      ))}
    </ScrollingNav>
  );
}

import { Link } from "@tanstack/react-router";
import { ScrollingNav } from "../ScrollingNav";
import classes from "./ProjectTabs.module.css";

export const projectTabs = {
  overview: "Overview",
  features: "Features",
  health: "Health",
  history: "History",
  archive: "Archive",
  environments: "Environments",
  access: "Access",
  tokens: "Tokens",
  settings: "Settings",
} as const;

/** What there is about a project. */
export function ProjectTabs({ projectId, tab }: { projectId: string; tab: string }) {
  return (
    <ScrollingNav className={classes.tabs} label="About this project">
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
          className={classes.tab}
          aria-current={name === tab ? "page" : undefined}
          activeOptions={{ exact: true }}
        >
          {label}
        </Link>
      ))}
    </ScrollingNav>
  );
}

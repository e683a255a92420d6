import { Link } from "@tanstack/react-router";
import { useExactRead, useGuards } from "../../api/queries";
import { number } from "../../words/counts";
import { actionableRequest } from "../change-requests/requests";
import { ScrollingNav } from "../ScrollingNav";

export const projectTabs = {
  overview: "Overview",
  features: "Feature flags",
  "change-requests": "Change requests",
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
          {name === "change-requests" && <Actionable projectId={projectId} />}
        </Link>
      ))}
    </ScrollingNav>
  );
}

/** How many change requests wait for something that the person may do. */
function Actionable({ projectId }: { projectId: string }) {
  const isGuarded = useGuards(projectId).some(({ changeRequestEnabled }) => changeRequestEnabled);
  const total = useExactRead(actionableRequest(projectId), { enabled: isGuarded }).data?.total ?? 0;
  if (total === 0) return null;
  return (
    <span className="chip">
      {number(total)}
      <span className="visually-hidden"> waiting for you</span>
    </span>
  );
}

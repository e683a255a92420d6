import { useParams } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { useRead } from "../../api/queries";
import { isMissing } from "../../api/refusal";
import { arriving } from "../../parts/arriving";
import { overviewRequest } from "../../parts/project/overview";
import { ProjectHead } from "../../parts/project/ProjectHead";
import { ProjectTabs, projectTabs } from "../../parts/project/ProjectTabs";
import { useTitle } from "../../parts/title";
import { Unread } from "../../parts/Unread";
import { NotFound } from "../not-found/NotFound";
import classes from "./Project.module.css";
import type { OfProject } from "./shown";

const tabs: Record<Exclude<keyof typeof projectTabs, "features"> | "rewind", ComponentType<OfProject>> = {
  overview: arriving(() => import("./overview/Overview")),
  "change-requests": arriving(() => import("./change-requests/ChangeRequests")),
  health: arriving(() => import("./health/Health")),
  history: arriving(() => import("./history/History")),
  archive: arriving(() => import("./archive/Archive")),
  environments: arriving(() => import("./environments/Environments")),
  access: arriving(() => import("./access/Access")),
  tokens: arriving(() => import("./tokens/Tokens")),
  settings: arriving(() => import("./settings/Settings")),
  rewind: arriving(() => import("./rewind/Rewind")),
};

const titles: Record<keyof typeof tabs, string> = {
  overview: "Project",
  "change-requests": "Change requests of",
  health: "Health of",
  history: "Event log of",
  archive: "Archive of",
  environments: "Environments of",
  access: "Access to",
  tokens: "Tokens of",
  settings: "Settings of",
  rewind: "Rewind",
};

/** One project: all that is about it, besides its features. */
export default function ProjectPage() {
  const { projectId = "", tab = "overview" } = useParams({ strict: false });
  const known = tab in tabs ? (tab as keyof typeof tabs) : undefined;
  const read = useRead(overviewRequest(projectId), { enabled: known !== undefined });
  const name = read.isPlaceholderData ? undefined : read.data?.name;
  useTitle(known ? `${titles[known]} ${name ?? projectId}` : projectId);
  if (!known || (isMissing(read.error) && !read.data)) return <NotFound />;
  const Page = tabs[known];
  return (
    <div className={classes.page}>
      <ProjectHead projectId={projectId} name={name} of={titles[known]} />
      <ProjectTabs projectId={projectId} tab={known === "rewind" ? "settings" : known} />
      {!read.data || read.isPlaceholderData ? (
        <Unread read={read} />
      ) : (
        <Page key={projectId} projectId={projectId} project={read.data} version={read.version} />
      )}
    </div>
  );
}

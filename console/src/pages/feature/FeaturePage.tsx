import { Group, Title } from "@mantine/core";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useRead } from "../../api/queries";
import { arriving } from "../../parts/arriving";
import { Favourite } from "../../parts/Favourite";
import { Touching } from "../../parts/change-requests/Touching";
import { useKeys } from "../../parts/keys";
import { ChangedHere } from "../../parts/live/Changed";
import { Moment } from "../../parts/Moment";
import { Problem } from "../../parts/Problem";
import { useTitle } from "../../parts/title";
import { Waiting } from "../../parts/Waiting";
import { NotFound } from "../not-found/NotFound";
import { FlagActions } from "./actions/FlagActions";
import { Overview } from "./Overview";
import { featureRequest } from "./request";
import type { Shown } from "./shown";
import { ScrollingNav } from "../../parts/ScrollingNav";
import classes from "./Feature.module.css";

const tabs = {
  overview: { label: "Overview", Page: Overview },
  variants: { label: "Variants", Page: arriving<Shown>(() => import("./variants/Variants")) },
  usage: { label: "Usage", Page: arriving<Shown>(() => import("./usage/Usage")) },
  history: { label: "Event log", Page: arriving<Shown>(() => import("./History")) },
  rewind: { label: "Rewind", Page: arriving<Shown>(() => import("./rewind/Rewind")) },
  settings: { label: "Settings", Page: arriving<Shown>(() => import("./settings/Settings")) },
};

const to = "/projects/$projectId/features/$featureName";

/** One feature: where it is on, for whom, and all else about it. */
export default function FeaturePage() {
  const { projectId = "", featureName = "", tab = "overview" } = useParams({ strict: false });
  const navigate = useNavigate();
  const read = useRead(featureRequest(projectId, featureName));
  useTitle(featureName);
  const goTo = (name: string) =>
    void navigate({ to: name === "overview" ? to : `${to}/$tab`, params: { projectId, featureName, tab: name } });
  useKeys({ e: { does: "Edit the settings", run: () => goTo("settings") } });

  if (!(tab in tabs)) return <NotFound />;
  if (read.error && !read.data) {
    return (
      <>
        <Title order={1} className="breaks" mb="md">
          <bdi>{featureName}</bdi>
        </Title>
        <Problem error={read.error} again={() => void read.refetch()} />
      </>
    );
  }
  // What is shown of the feature before is of another one.
  if (!read.data || read.data.name !== featureName) return <Waiting />;
  const { Page } = tabs[tab as keyof typeof tabs];
  const feature = read.data;
  return (
    <div className={classes.page}>
      <div>
        <div className="muted breaks">
          <Link to="/projects/$projectId/features" params={{ projectId }}>
            <bdi>{projectId}</bdi>
          </Link>{" "}
          / flags
        </div>
        <Group gap="sm" justify="space-between">
          <Group gap="xs" wrap="nowrap">
            <Title order={1} className="breaks">
              <bdi>{feature.name}</bdi>
            </Title>
            {!feature.archived && <Favourite feature={feature} />}
          </Group>
          <FlagActions feature={feature} version={read.version} />
        </Group>
        <div className={`muted breaks ${classes.about}`}>
          {feature.type}
          {feature.stale && <span className="chip warning">stale</span>}
          {feature.lifecycle && (
            <>
              {" "}
              · {feature.lifecycle.stage} since <Moment at={feature.lifecycle.enteredStageAt} />
            </>
          )}{" "}
          · created <Moment at={feature.createdAt} />
          {feature.createdBy && (
            <>
              {" "}
              by <bdi>{feature.createdBy.name}</bdi>
            </>
          )}
        </div>
        <ChangedHere project={feature.project} name={feature.name} />
        <Touching project={feature.project} name={feature.name} />
      </div>
      <ScrollingNav label="About this flag">
        {Object.entries(tabs).map(([name, { label }]) => (
          <Link
            key={name}
            to={name === "overview" ? to : `${to}/$tab`}
            params={{ projectId, featureName, tab: name }}
            aria-current={name === tab ? "page" : undefined}
            activeOptions={{ exact: true }}
          >
            {label}
          </Link>
        ))}
      </ScrollingNav>
      <Page feature={feature} version={read.version} />
    </div>
  );
}

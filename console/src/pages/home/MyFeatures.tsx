import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { isMissing } from "../../api/refusal";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { EnvironmentName } from "../../parts/EnvironmentName";
import { Problem } from "../../parts/Problem";
import { EnvironmentSwitch } from "../../parts/switches/EnvironmentSwitch";
import classes from "./Home.module.css";

type Flag = Schemas["PersonalDashboardFlag"];
const shown = 8;

/** The features that one made or marked as a favourite, with their switches. */
export function MyFeatures({ flags }: { flags: Flag[] }) {
  const [all, setAll] = useState(false);
  return (
    <section className="card" aria-label="My flags">
      <h2>My flags</h2>
      {flags.length === 0 ? (
        <p>
          You created none yet and have no favourites. <Link to="/features">All flags</Link> ·{" "}
          <Link to="/features" search={{ new: "true" }}>
            create one
          </Link>
        </p>
      ) : (
        <ul className={classes.list}>
          {flags.slice(0, all ? 100 : shown).map((flag) => (
            <Row key={`${flag.project}/${flag.name}`} flag={flag} />
          ))}
        </ul>
      )}
      {!all && flags.length > shown && (
        <Button variant="default" size="compact-sm" onClick={() => setAll(true)}>
          Show all {flags.length}
        </Button>
      )}
    </section>
  );
}

function Row({ flag: { name, project } }: { flag: Flag }) {
  const read = useRead(
    request("get", "/api/admin/projects/{projectId}/features/{featureName}", {
      params: { path: { projectId: project, featureName: name } },
    }),
  );
  // Archived since the list was read.
  if (isMissing(read.error)) return null;
  return (
    <li className={classes.line}>
      <span className="breaks">
        <Link
          to="/projects/$projectId/features/$featureName"
          params={{ projectId: project, featureName: name }}
          className="breaks"
        >
          <bdi>{name}</bdi>
        </Link>{" "}
        <span className="muted">
          <bdi>{project}</bdi>
        </span>
        {read.data?.stale && <span className="chip warning">stale</span>}
      </span>
      {read.error && !read.data ? (
        <Problem error={read.error} again={() => void read.refetch()} />
      ) : (
        <span className={classes.switches}>
          {read.data?.environments.map((environment) => (
            <span key={environment.name} className={classes.switch}>
              <EnvironmentName name={environment.name} type={environment.type} />
              <EnvironmentSwitch projectId={project} featureName={name} environment={environment} />
            </span>
          ))}
        </span>
      )}
    </li>
  );
}

import { Select } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { first } from "../../api/address";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { Problem } from "../../parts/Problem";
import { useOfferedProject } from "../../parts/project/offered";
import classes from "./Home.module.css";
import { counted, number } from "../../words/counts";

interface Props {
  projects: Schemas["PersonalDashboardProject"][];
  admins: Schemas["PersonalDashboardAdmin"][];
}

/** The projects that one belongs to; of one of them, who owns it, what one is in it, and how it fares. */
export function MyProjects({ projects, admins }: Props) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const offered = useOfferedProject();
  const chosen =
    projects.find(({ id }) => id === first(search.project)) ??
    projects.find(({ id }) => id === offered) ??
    fullest(projects);
  return (
    <section className="card" aria-label="My projects">
      <h2>My projects</h2>
      {!chosen ? (
        <>
          <p>
            You belong to none yet. <Link to="/projects">All projects</Link> that you may see.
          </p>
          {admins.length > 0 && (
            <p className="muted breaks">
              These can let you into one:{" "}
              {admins.map(({ name, username, email }) => name ?? username ?? email).join(", ")}
            </p>
          )}
        </>
      ) : (
        <>
          <ul className={classes.list}>
            {projects.slice(0, 8).map(({ id, name, health, featureCount, memberCount }) => (
              <li key={id} className={classes.line}>
                <Link to="/projects/$projectId" params={{ projectId: id }} className="breaks">
                  <bdi>{name}</bdi>
                </Link>
                <span className="figures muted">
                  {counted(featureCount, "flag")} · {counted(memberCount, "member")} ·{" "}
                  <meter
                    min={0}
                    max={100}
                    low={60}
                    high={80}
                    optimum={100}
                    value={health}
                    aria-label={`Health of ${name}`}
                  />{" "}
                  {health} %
                </span>
              </li>
            ))}
          </ul>
          {projects.length > 8 && <Link to="/projects">All {projects.length} projects</Link>}
          {projects.length > 1 && (
            <Select
              mt="md"
              size="xs"
              label="More about"
              allowDeselect={false}
              searchable
              limit={50}
              data={projects.map(({ id, name }) => ({ value: id, label: name }))}
              value={chosen.id}
              onChange={(project) =>
                void navigate({ to: ".", search: { project: project ?? undefined }, replace: true })
              }
            />
          )}
          <div className={classes.details}>
            <Details project={chosen} />
          </div>
        </>
      )}
    </section>
  );
}

/** The one with most flags is what one looks at first. */
const fullest = (projects: Props["projects"]) =>
  projects.reduce<Props["projects"][number] | undefined>(
    (most, one) => (most && most.featureCount >= one.featureCount ? most : one),
    undefined,
  );

function Details({ project: { id: projectId, name } }: { project: Schemas["PersonalDashboardProject"] }) {
  const read = useRead(
    request("get", "/api/admin/personal-dashboard/{projectId}", { params: { path: { projectId } } }),
  );
  if (read.error && !read.data) return <Problem error={read.error} again={() => void read.refetch()} />;
  if (!read.data) return null;
  const { owners, roles, insights } = read.data;
  const { avgHealthCurrentWindow: now, avgHealthPastWindow: before } = insights;
  const trend = now == null || before == null ? 0 : now - before;
  const names = owners.map(
    ({ name: own, email, ownerType }) => own ?? email ?? (ownerType === "system" ? "the administrators" : ownerType),
  );
  return (
    <p className="breaks">
      <strong>
        <bdi>{name}</bdi>
      </strong>{" "}
      is owned by {names.join(", ") || "nobody"}. You are {roles.map((role) => role.name).join(", ") || "no member"}{" "}
      there.{" "}
      {insights.totalFlags === 0
        ? "It has no flag yet"
        : `Of ${counted(insights.totalFlags, "flag")} ${number(insights.staleFlags)} are stale and ${insights.potentiallyStaleFlags} older than their type should be`}
      {trend ? `; its health ${trend > 0 ? "rose" : "fell"} by ${Math.abs(trend)} points lately` : ""}.{" "}
      <Link to="/projects/$projectId/$tab" params={{ projectId, tab: "health" }}>
        Clean up
      </Link>
    </p>
  );
}

import { Link } from "@tanstack/react-router";
import { useRead } from "../../../api/queries";
import { request } from "../../../api/request";
import { Bars } from "../../../parts/charts/Bars";
import { EnvironmentName } from "../../../parts/EnvironmentName";
import { useEnvironments } from "../../../api/queries";
import { Moment } from "../../../parts/Moment";
import type { OfProject } from "../shown";
import classes from "../Project.module.css";
import { counted, number } from "../../../words/counts";
import { Description } from "../../../parts/markdown/Description";
import { Unread } from "../../../parts/Unread";

/** A project in figures, each leading to what is behind it. */
export default function Overview({ projectId, project }: OfProject) {
  const read = useRead(request("get", "/api/admin/projects/{projectId}/insights", { params: { path: { projectId } } }));
  const environments = useEnvironments();
  const { description, mode, environments: used, createdAt, health, members, onboardingStatus } = project;
  return (
    <>
      <section className="card" aria-label="About">
        <p className="breaks">
          <strong>
            <bdi>{project.name}</bdi>
          </strong>
          {mode !== "open" && <span className="chip">{mode}</span>}
        </p>
        {description && <Description text={description} />}
        <p className="breaks">
          Created <Moment at={createdAt} />. Its environments:{" "}
          {used.map(({ environment }, at) => (
            <span key={environment}>
              {at > 0 && ", "}
              <EnvironmentName name={environment} type={environments.find(({ name }) => name === environment)?.type} />
            </span>
          ))}
          .{" "}
          {onboardingStatus.status !== "onboarded" && (
            <Link to="/setup" search={{ project: projectId }}>
              No application asked for its flags yet: connect one.
            </Link>
          )}
        </p>
      </section>
      {!read.data ? (
        <Unread read={read} />
      ) : (
        <>
          <section className={`card ${classes.figures}`} aria-label="In figures">
            <Number of="flags" value={read.data.featureTypeCounts.reduce((sum, { count }) => sum + count, 0)}>
              <Link to="/projects/$projectId/features" params={{ projectId }}>
                {read.data.stats.createdCurrentWindow} created in 30 days, {read.data.stats.createdPastWindow} in the 30
                before
              </Link>
            </Number>
            <Number of="% healthy" value={health}>
              <Link to="/projects/$projectId/$tab" params={{ projectId, tab: "health" }}>
                {read.data.health.staleCount} stale, {read.data.health.potentiallyStaleCount} older than their type
                should be
              </Link>
            </Number>
            <Number of="archived in 30 days" value={read.data.stats.archivedCurrentWindow}>
              <Link to="/projects/$projectId/$tab" params={{ projectId, tab: "archive" }}>
                {read.data.stats.archivedPastWindow} in the 30 before
              </Link>
            </Number>
            <Number of="changes in 30 days" value={read.data.stats.projectActivityCurrentWindow}>
              <Link to="/projects/$projectId/$tab" params={{ projectId, tab: "history" }}>
                {read.data.stats.projectActivityPastWindow} in the 30 before
              </Link>
            </Number>
            <Number of="members" value={members}>
              <Link to="/projects/$projectId/$tab" params={{ projectId, tab: "access" }}>
                {read.data.stats.projectMembersAddedCurrentWindow} came in 30 days
              </Link>
            </Number>
          </section>
          <div className={classes.columns}>
            <Bars
              finding={kindsInWords(read.data.featureTypeCounts)}
              unit="Flags by type"
              of="Type"
              series={["flags"]}
              file={`${projectId}-types`}
              points={read.data.featureTypeCounts.map(({ type, count }) => ({ label: type, values: [count] }))}
              empty="There is no flag yet."
            />
            <Bars
              finding={
                read.data.leadTime.features.length
                  ? `A release flag takes ${counted(read.data.leadTime.projectAverage, "day")} to production`
                  : "No release flag reached production yet"
              }
              unit="Days from creation to being on in production, release flags"
              of="Flag"
              series={["days"]}
              file={`${projectId}-lead-time`}
              points={[...read.data.leadTime.features]
                .sort((one, other) => other.timeToProduction - one.timeToProduction)
                .map(({ name, timeToProduction }) => ({ label: name, values: [timeToProduction] }))}
              empty="Once one is on in production, its days are here."
            />
          </div>
        </>
      )}
    </>
  );
}

function Number({ value, of, children }: { value: number; of: string; children: React.ReactNode }) {
  return (
    <div className={classes.figure}>
      <span className={classes.number}>{value}</span>
      <span>{of}</span>
      <span className="muted">{children}</span>
    </div>
  );
}

function kindsInWords(counts: { type: string; count: number }[]): string {
  const most = [...counts].sort((one, other) => other.count - one.count)[0];
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  return most
    ? `${number(most.count)} of ${counted(all, "flag")} are of the type ${most.type}`
    : "There is no flag yet";
}

import { Text } from "@mantine/core";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useEnvironments, useRead, useReads } from "../../api/queries";
import { request } from "../../api/request";
import { Area } from "../../parts/area/Area";
import areaClasses from "../../parts/area/Area.module.css";
import { RemoveButton } from "../../parts/forms/RemoveButton";
import { Moment } from "../../parts/Moment";
import { Problem } from "../../parts/Problem";
import { Waiting } from "../../parts/Waiting";
import { EnvironmentCard } from "./EnvironmentCard";
import { counted } from "../../words/counts";

/** One program: where it runs, what it uses, and what is amiss with that. */
export default function ApplicationPage() {
  const { appName = "" } = useParams({ strict: false });
  const navigate = useNavigate();
  const params = { path: { appName } };
  const application = useRead(request("get", "/api/admin/metrics/applications/{appName}", { params }));
  const overview = useRead(request("get", "/api/admin/metrics/applications/{appName}/overview", { params }));
  const types = new Map(useEnvironments().map(({ name, type }) => [name, type]));
  const projects = application.data?.usage.map(({ project }) => project) ?? [];
  const outdated = useReads(
    projects.map((projectId) =>
      request("get", "/api/admin/projects/{projectId}/sdks/outdated", { params: { path: { projectId } } }),
    ),
  );
  const behind = [
    ...new Set(
      outdated.data.flatMap((one) =>
        (one?.sdks ?? [])
          .filter(({ applications }) => applications.includes(appName))
          .map(({ sdkVersion }) => sdkVersion),
      ),
    ),
  ];
  const error = application.error ?? overview.error;
  const isShown = application.data && overview.data && !application.isPlaceholderData && !overview.isPlaceholderData;

  return (
    <Area title={appName}>
      <div className="muted">
        <Link to="/applications">All applications</Link>
      </div>
      {error && !isShown ? (
        <Problem error={error} again={() => void Promise.all([application.refetch(), overview.refetch()])} />
      ) : !application.data || !overview.data || !isShown ? (
        <Waiting />
      ) : (
        <>
          <section className={`card ${areaClasses.narrow}`} aria-label="About it">
            <dl className={areaClasses.facts}>
              <div className={areaClasses.pair}>
                <dt>Last seen</dt>
                <dd>
                  <Moment at={application.data.seenAt} />
                </dd>
              </div>
              <div className={areaClasses.pair}>
                <dt>Known since</dt>
                <dd>
                  <Moment at={application.data.createdAt} />
                </dd>
              </div>
              <div className={areaClasses.pair}>
                <dt>Uses</dt>
                <dd>
                  {overview.data.projects.length
                    ? `${counted(overview.data.featureCount, "flag")} of ${overview.data.projects.join(", ")}`
                    : "no flag that you may see"}
                </dd>
              </div>
              <div className={areaClasses.pair}>
                <dt>Knows the strategy types</dt>
                <dd>
                  <bdi>{application.data.strategies.join(", ") || "none told"}</bdi>
                </dd>
              </div>
            </dl>
          </section>
          <Amiss missing={overview.data.issues.missingStrategies} outdated={behind} />
          {overview.data.environments.map((environment) => (
            <EnvironmentCard
              key={environment.name}
              appName={appName}
              environment={environment}
              type={types.get(environment.name)}
            />
          ))}
          {overview.data.environments.length === 0 && <p>It has not said yet where it runs.</p>}
          <section className={`card ${areaClasses.narrow}`} aria-label="Forget it">
            <Text size="sm" mb="sm">
              What it reported about flags stays. It comes back when it registers again.
            </Text>
            <RemoveButton
              what="program"
              name={appName}
              request={request("delete", "/api/admin/metrics/applications/{appName}", { params })}
              consequence="It and its instances are forgotten until it registers again."
              onRemoved={() => void navigate({ to: "/applications" })}
            />
          </section>
        </>
      )}
    </Area>
  );
}

function Amiss({ missing, outdated }: { missing: string[]; outdated: string[] }) {
  if (missing.length + outdated.length === 0) return null;
  return (
    <section className={`card ${areaClasses.narrow}`} aria-label="Problems">
      <h2>Problems</h2>
      <ul>
        {missing.length > 0 && (
          <li className="breaks">
            It knows strategy types that do not exist here: <bdi>{missing.join(", ")}</bdi>. Create them under{" "}
            <Link to="/build/$tab" params={{ tab: "strategies" }}>
              strategy types
            </Link>
            , or take them out of the application.
          </li>
        )}
        {outdated.length > 0 && (
          <li className="breaks">Its SDKs are older than this server asks for: {outdated.join(", ")}. Upgrade them.</li>
        )}
      </ul>
    </section>
  );
}

import { Link } from "@tanstack/react-router";
import { serverTime } from "../../api/clock";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { Problem } from "../../parts/Problem";
import { EnvironmentSwitch } from "../../parts/switches/EnvironmentSwitch";
import { ago } from "./ago";
import { useReports, useTokens } from "./polled";
import { firstEvaluations, lastUse } from "./tokens";

interface Props {
  project: string;
  environment: string;
  feature: string;
  /** Of the token that was created or chosen here. */
  token: string | undefined;
}

/** Waits for the application: looks every three seconds for the use of its token and for its first evaluation. */
export function Watch({ project, environment, feature, token }: Props) {
  const read = useTokens(project);
  const usage = useReports(feature);
  const details = useRead(
    request("get", "/api/admin/projects/{projectId}/features/{featureName}", {
      params: { path: { projectId: project, featureName: feature } },
    }),
  );
  const here = details.data?.environments.find((one) => one.name === environment);
  const seen = lastUse(read.data?.tokens ?? [], environment, token);
  const evaluated = firstEvaluations(usage.data?.data ?? [], environment);
  if (read.error && !read.data) return <Problem error={read.error} again={() => void read.refetch()} />;
  return (
    <>
      <p role="status" className="breaks">
        {seen ? (
          <>
            <strong className="good">
              ✓ Your application asked {ago(seen.seenAt, serverTime(read.dataUpdatedAt))}
            </strong>
            , by the token <bdi>{seen.tokenName}</bdi>.
          </>
        ) : (
          <>
            Waiting for an application that asks{token ? ` by the token ${token}` : ""} … Start it, and this page will
            tell.
          </>
        )}
      </p>
      <p role="status" className="breaks">
        {evaluated ? (
          <>
            <strong className="good">
              ✓ <bdi>{evaluated.appNames.join(", ")}</bdi> evaluated <bdi>{feature}</bdi>
            </strong>
            : {evaluated.yes} times on, {evaluated.no} times off in the last hour.
          </>
        ) : (
          seen && (
            <>
              Waiting for its first evaluation of <bdi>{feature}</bdi> … SDKs report them about once a minute; HTTP and
              OpenFeature report none.
            </>
          )
        )}
      </p>
      {here && (
        <p>
          <Link
            to="/projects/$projectId/features/$featureName"
            params={{ projectId: project, featureName: feature }}
            className="breaks"
          >
            <bdi>{feature}</bdi>
          </Link>{" "}
          is {here.enabled ? "on" : "off"} in {environment}. Switch it, and run the application again:{" "}
          <EnvironmentSwitch projectId={project} featureName={feature} environment={here} />
        </p>
      )}
    </>
  );
}

import { Link } from "@tanstack/react-router";
import { serverTime } from "../../api/clock";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { Problem } from "../../parts/Problem";
import { EnvironmentSwitch } from "../../parts/switches/EnvironmentSwitch";
import { ago } from "./snippets";

interface Props {
  project: string;
  environment: string;
  feature: string;
  /** Of the token that was made here. */
  name: string | undefined;
}

const often = 3000;

/** Waits for the program: looks every three seconds when the token was last used. */
export function Watch({ project, environment, feature, name }: Props) {
  const read = useRead(
    request("get", "/api/admin/projects/{projectId}/api-tokens", { params: { path: { projectId: project } } }),
    { refetchInterval: often, staleTime: 0 },
  );
  const details = useRead(
    request("get", "/api/admin/projects/{projectId}/features/{featureName}", {
      params: { path: { projectId: project, featureName: feature } },
    }),
  );
  const here = details.data?.environments.find((one) => one.name === environment);
  const tokens = (read.data?.tokens ?? []).filter(
    (token) => token.environment === environment && (!name || token.tokenName === name),
  );
  const seen = tokens
    .flatMap(({ seenAt, tokenName }) => (seenAt ? [{ seenAt, tokenName }] : []))
    .sort((one, other) => other.seenAt.localeCompare(one.seenAt))[0];
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
            Waiting for an application that asks{name ? ` by the token ${name}` : ""} … Start it, and this page will
            tell.
          </>
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

import { useExactRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import areaClasses from "../../parts/area/Area.module.css";
import { EnvironmentName } from "../../parts/EnvironmentName";
import { Moment } from "../../parts/Moment";
import { Problem } from "../../parts/Problem";
import classes from "./Applications.module.css";

interface Props {
  appName: string;
  environment: Schemas["ApplicationEnvironment"];
  type: string | undefined;
}

/** A program in one environment: its SDKs, its running copies, and features that it asks for in vain. */
export function EnvironmentCard({
  appName,
  environment: { name, instanceCount, sdks, lastSeen, issues },
  type,
}: Props) {
  const read = useExactRead(
    request("get", "/api/admin/metrics/instances/{appName}/environment/{environment}", {
      params: { path: { appName, environment: name } },
    }),
    { enabled: instanceCount > 0 },
  );
  const instances = read.data?.instances ?? [];
  return (
    <section className={`card ${areaClasses.narrow}`} aria-label={`In ${name}`}>
      <h2 className={classes.head}>
        <EnvironmentName name={name} type={type} />
      </h2>
      <dl className={areaClasses.facts}>
        <div className={areaClasses.pair}>
          <dt>Instances</dt>
          <dd>{instanceCount}</dd>
        </div>
        <div className={areaClasses.pair}>
          <dt>SDKs</dt>
          <dd>
            <bdi>{sdks.join(", ") || "not told"}</bdi>
          </dd>
        </div>
        <div className={areaClasses.pair}>
          <dt>Last seen</dt>
          <dd>
            <Moment at={lastSeen} />
          </dd>
        </div>
      </dl>
      {issues.missingFeatures.length > 0 && (
        <p className="warning breaks">
          It asks for flags that do not exist: <bdi>{issues.missingFeatures.join(", ")}</bdi>.
        </p>
      )}
      {issues.outdatedSdks.length > 0 && (
        <p className="warning breaks">There are newer ones of {issues.outdatedSdks.join(", ")}.</p>
      )}
      <Problem error={read.error} again={() => void read.refetch()} />
      {instances.length > 0 && (
        <details>
          <summary>List of instances</summary>
          <div className="scrolls" tabIndex={0} role="region" aria-label={`Instances in ${name}`}>
            <table className={classes.instances}>
              <thead>
                <tr>
                  <th scope="col">Instance</th>
                  <th scope="col">SDK</th>
                  <th scope="col">Last seen</th>
                </tr>
              </thead>
              <tbody>
                {instances.map(({ instanceId, sdkVersion, lastSeen: seen }) => (
                  <tr key={instanceId}>
                    <td className="breaks">
                      <bdi>{instanceId}</bdi>
                    </td>
                    <td className="breaks">
                      <bdi>{sdkVersion ?? "not told"}</bdi>
                    </td>
                    <td>
                      <Moment at={seen} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </section>
  );
}

import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { Area } from "../../parts/area/Area";
import areaClasses from "../../parts/area/Area.module.css";
import { Moment } from "../../parts/Moment";
import { Problem } from "../../parts/Problem";
import { settingsTabs } from "../../parts/settings";
import { Waiting } from "../../parts/Waiting";
import { Integrity } from "./Integrity";
import { Limits } from "./Limits";
import { LogLevel } from "./LogLevel";
import { Maintenance } from "./Maintenance";
import { Origins } from "./Origins";
import classes from "./Instance.module.css";

/** The server itself: its version and figures, how full it is, and what holds for all of it. */
export default function InstancePage() {
  const read = useRead(request("get", "/api/admin/instance-admin/statistics"));
  const config = useRead(request("get", "/api/admin/ui-config"));
  return (
    <Area title="Instance" tabs={settingsTabs}>
      {(read.error && !read.data) || (config.error && !config.data) ? (
        <Problem
          error={read.error ?? config.error}
          again={() => void Promise.all([read.refetch(), config.refetch()])}
        />
      ) : !read.data || !config.data ? (
        <Waiting />
      ) : (
        <div className={classes.cards}>
          <section className="card" aria-label="Version">
            <h2>Version</h2>
            <Facts
              facts={[
                ["Flagstone", config.data.version],
                ["Address", config.data.unleashUrl],
                ["Instance", read.data.instanceId],
                ["Counted", <Moment key="at" at={read.data.timestamp} absolute />],
              ]}
            />
          </section>
          <section className="card" aria-label="People">
            <h2>People</h2>
            <Facts
              facts={[
                ["Users", read.data.users],
                ["Here in the last 7 days", read.data.activeUsers.last7],
                ["… 30 days", read.data.activeUsers.last30],
                ["… 90 days", read.data.activeUsers.last90],
                ["Service accounts", read.data.serviceAccounts],
                ["Groups", read.data.groups],
                ["Roles", read.data.roles],
                ["OpenID Connect", read.data.OIDCenabled ? "on" : "off"],
                ["SAML", read.data.SAMLenabled ? "on" : "off"],
              ]}
            />
          </section>
          <section className="card" aria-label="Feature flags">
            <h2>Feature flags</h2>
            <Facts
              facts={[
                ["Feature flags", read.data.featureToggles],
                ["Projects", read.data.projects],
                ["Environments", read.data.environments],
                ["Segments", read.data.segments],
                ["Context fields", read.data.contextFields],
                ["Strategy types", read.data.strategies],
                ["Most strategies of a flag in one environment", read.data.maxEnvironmentStrategies],
                ["Production changes in 30 days", read.data.productionChanges.last30],
                ["Exports and imports", `${read.data.featureExports} and ${read.data.featureImports}`],
              ]}
            />
          </section>
          <section className="card" aria-label="Applications">
            <h2>Applications</h2>
            <Facts
              facts={[
                ...read.data.clientApps.map(({ range, count }): [string, number] => [ranges[range], count]),
                ["Tokens for servers", read.data.apiTokens.client],
                ["Tokens for browsers", read.data.apiTokens.frontend],
                ["Tokens for administration", read.data.apiTokens.admin],
                ["Reports of usage yesterday (UTC)", read.data.previousDayMetricsBucketsCount.enabledCount],
              ]}
            />
          </section>
          <Limits limits={config.data.resourceLimits} statistics={read.data} />
          <Maintenance />
          <LogLevel />
          <Integrity />
          <Origins stored={config.data.frontendApiOrigins} />
        </div>
      )}
    </Area>
  );
}

const ranges = { allTime: "Applications ever", "30d": "… in 30 days", "7d": "… in 7 days" };

function Facts({ facts }: { facts: [string, React.ReactNode][] }) {
  return (
    <dl className={areaClasses.facts}>
      {facts.map(([label, value]) => (
        <div key={label} className={areaClasses.pair}>
          <dt>{label}</dt>
          <dd className={classes.figure}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

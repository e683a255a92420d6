import { Button, Group } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { first } from "../../api/address";
import { request, type Schemas } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { arriving } from "../../parts/arriving";
import { EnvironmentName, isProduction } from "../../parts/EnvironmentName";
import { Moment } from "../../parts/Moment";
import { EnvironmentSwitch } from "../../parts/switches/EnvironmentSwitch";
import { tagInWords } from "../../parts/tags";
import { EditableDescription } from "./EditableDescription";
import type { Shown } from "./shown";
import { Links } from "./links/Links";
import { conditionInWords } from "./settings/conditions";
import { StrategyList } from "./strategy/StrategyList";
import classes from "./Feature.module.css";

const StrategyDrawer = arriving(() => import("./strategy/StrategyDrawer"), { waiting: null, isBeside: true });

type Environment = Schemas["FeatureEnvironmentDetails"];

/** Environments side by side: on or off, and for whom. */
export function Overview({ feature, version }: Shown) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const edited = feature.environments.find(({ name }) => name === first(search.env));
  const strategyId = first(search.strategy);
  const show = (env: string | undefined, strategy?: string) => void navigate({ to: ".", search: { env, strategy } });
  return (
    <>
      <div className={classes.matrix}>
        {feature.environments.map((environment) => (
          <Column key={environment.name} feature={feature} environment={environment} show={show} />
        ))}
        {feature.environments.length === 0 && <div className="card">This project has no environment yet.</div>}
      </div>
      <Facts feature={feature} version={version} />
      {edited && strategyId !== undefined && (
        <StrategyDrawer
          key={`${edited.name} ${strategyId}`}
          feature={feature}
          version={version}
          environment={edited}
          strategy={edited.strategies?.find(({ id }) => id === strategyId)}
          isNew={strategyId === "new"}
          onClose={() => show(undefined)}
        />
      )}
    </>
  );
}

interface ColumnProps extends Pick<Shown, "feature"> {
  environment: Environment;
  show: (env: string, strategy: string) => void;
}

function Column({ feature, environment, show }: ColumnProps) {
  const { name, type, yes, no, lastSeenAt, variants = [], enabled } = environment;
  const asked = yes + no;
  const share = asked ? Math.round((100 * yes) / asked) : 0;
  return (
    <section
      className={`card ${classes.column} ${isProduction(type) ? "production" : ""}`}
      aria-label={`${name}${isProduction(type) ? ", production" : ""}`}
    >
      <div className={classes.columnHead}>
        <EnvironmentName name={name} type={type} />
        <Group gap="sm">
          <span className={enabled ? "good" : "muted"}>{enabled ? "on" : "off"}</span>
          <EnvironmentSwitch projectId={feature.project} featureName={feature.name} environment={environment} />
        </Group>
      </div>
      <div>
        <div
          className={classes.share}
          role="img"
          aria-label={
            asked
              ? `${share} % of ${asked} evaluations in the last hour were enabled`
              : "No evaluations in the last hour"
          }
        >
          <span className={classes.yes} style={{ width: `${share}%` }} />
        </div>
        <span className={`muted ${classes.asked}`}>
          {asked ? `${share} % of ${asked} enabled in the last hour` : "no evaluations in the last hour"} · seen{" "}
          <Moment at={lastSeenAt} />
        </span>
      </div>
      <StrategyList feature={feature} environment={environment} open={(id) => show(name, id)} />
      {variants.length > 0 && (
        <Link
          to="/projects/$projectId/features/$featureName/$tab"
          params={{ projectId: feature.project, featureName: feature.name, tab: "variants" }}
        >
          {variants.length} {variants.length === 1 ? "variant" : "variants"}
        </Link>
      )}
      <ActionButton
        variant="default"
        size="compact-sm"
        request={request(
          "post",
          "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies",
          {
            params: { path: { projectId: feature.project, featureName: feature.name, environment: name } },
            body: { name: "flexibleRollout" },
          },
        )}
        onClick={() => show(name, "new")}
      >
        Add strategy
      </ActionButton>
    </section>
  );
}

function Facts({ feature, version }: Shown) {
  const { tags = [], dependencies, children, collaborators } = feature;
  const name = (featureName: string) => (
    <Link
      key={featureName}
      to="/projects/$projectId/features/$featureName"
      params={{ projectId: feature.project, featureName }}
    >
      <bdi>{featureName}</bdi>{" "}
    </Link>
  );
  return (
    <div className={`card ${classes.facts}`}>
      <div>
        <h2>Description</h2>
        <EditableDescription key={feature.name} feature={feature} version={version} />
      </div>
      <Links feature={feature} />
      <div>
        <h2>Tags</h2>
        <div className="breaks">
          {tags.length
            ? tags.map((tag) => (
                <span key={tagInWords(tag)} className="chip">
                  <bdi>{tagInWords(tag)}</bdi>
                </span>
              ))
            : "None."}
        </div>
      </div>
      <div>
        <h2>Depends on</h2>
        <div className="breaks">
          {dependencies.length
            ? dependencies.map((dependency) => (
                <div key={dependency.feature}>
                  {name(dependency.feature)}
                  <span className="muted">{conditionInWords(dependency)}</span>
                </div>
              ))
            : "Nothing."}
        </div>
        {children.length > 0 && <div className="breaks">Child flags: {children.map(name)}</div>}
      </div>
      <div>
        <h2>Worked on it</h2>
        <div className="breaks">{collaborators.users.map((user) => user.name).join(", ") || "Nobody yet."}</div>
      </div>
      <div>
        <Button
          variant="default"
          size="compact-xs"
          renderRoot={(props) => (
            <Link
              to="/projects/$projectId/features/$featureName/$tab"
              params={{ projectId: feature.project, featureName: feature.name, tab: "settings" }}
              {...props}
            />
          )}
        >
          Edit the settings
        </Button>
      </div>
    </div>
  );
}

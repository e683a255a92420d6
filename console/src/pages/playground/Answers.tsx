import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEnvironments } from "../../api/queries";
import type { Schemas } from "../../api/request";
import { EnvironmentName, environmentOption, isProduction } from "../../parts/EnvironmentName";
import { Rows } from "../../parts/Rows";
import { label, type Question } from "./question";
import { WithMoments } from "../../parts/Moment";
import classes from "./Playground.module.css";

type Feature = Schemas["AdvancedPlaygroundFeature"];
type Result = Schemas["AdvancedPlaygroundResult"];

interface Props {
  features: Feature[];
  question: Question;
  dimmed: boolean;
  open: (feature: Feature) => void;
}

const shown = 24;

/** Features by environments and contexts: on or off, and the variant. */
export function Answers({ features, question, dimmed, open }: Props) {
  const environments = useEnvironments();
  const typeOf = (name: string) => environments.find((one) => one.name === name)?.type;
  // The first feature that is in an environment names the contexts of its columns.
  const asked = question.environments.flatMap((environment) => {
    const results = features.find((feature) => feature.environments[environment])?.environments[environment] ?? [];
    return results.map(({ context }, at) => ({ environment, at, says: label(context, question) }));
  });
  const columns = asked.slice(0, shown);
  return (
    <>
      {asked.length > shown && (
        <span className="muted">{asked.length - shown} more answers for each flag are under Why?</span>
      )}
      <Rows
        label="Answers"
        asCards
        count={features.length}
        columns={columns.length + 2}
        dimmed={dimmed}
        keyOf={(index) => `${features[index]!.projectId}/${features[index]!.name}`}
        head={
          <>
            <th>Flag</th>
            {columns.map(({ environment, at, says }) => (
              <th key={`${environment} ${at}`}>
                <EnvironmentName name={environment} type={typeOf(environment)} />
                {says && (
                  <div className={`breaks ${classes.context}`}>
                    <bdi>
                      <WithMoments text={says} />
                    </bdi>
                  </div>
                )}
              </th>
            ))}
            <th>
              <span className="visually-hidden">Why</span>
            </th>
          </>
        }
        row={(index) => {
          const feature = features[index]!;
          return (
            <>
              <td className={classes.name}>
                <Link
                  to="/projects/$projectId/features/$featureName"
                  params={{ projectId: feature.projectId, featureName: feature.name }}
                  className="breaks"
                >
                  <bdi>{feature.name}</bdi>
                </Link>{" "}
                <span className="muted">
                  <bdi>{feature.projectId}</bdi>
                </span>
              </td>
              {columns.map(({ environment, at, says }) => (
                <td
                  key={`${environment} ${at}`}
                  data-label={[environmentOption({ name: environment, type: typeOf(environment) }).label, says]
                    .filter(Boolean)
                    .join(", ")}
                  className={isProduction(typeOf(environment)) ? "production" : undefined}
                >
                  <Answer result={feature.environments[environment]?.[at]} />
                </td>
              ))}
              <td>
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Why ${feature.name}`}
                  onClick={() => open(feature)}
                >
                  Why?
                </Button>
              </td>
            </>
          );
        }}
      />
    </>
  );
}

export function Answer({ result }: { result: Result | undefined }) {
  if (!result) return <span className="muted">not there</span>;
  const { isEnabled, variant, strategies, isEnabledInCurrentEnvironment } = result;
  const isOpen = !isEnabled && isEnabledInCurrentEnvironment && strategies.result === "unknown";
  return (
    <>
      <span className={isEnabled ? "good" : "muted"}>
        {isEnabled ? "✓ on" : isOpen ? "? depends on the application" : "✗ off"}
      </span>
      {variant.enabled && (
        <span className="chip">
          <bdi>{variant.name}</bdi>
        </span>
      )}
    </>
  );
}

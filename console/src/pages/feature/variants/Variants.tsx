import { Button, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { first } from "../../../api/address";
import { environmentOption } from "../../../parts/EnvironmentName";
import { audience } from "../../../parts/strategies/audience";
import { useSegmentNames } from "../../../parts/strategies/segments";
import { WeightBar } from "../../../parts/variants/WeightBar";
import type { Schemas } from "../../../api/request";
import type { Shown } from "../shown";
import classes from "../Feature.module.css";
import { VariantsEditor } from "./VariantsEditor";
import { WithMoments } from "../../../parts/Moment";

/** The variants of a feature, which each environment has its own of. */
export default function Variants({ feature, version }: Shown) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const environment = feature.environments.find(({ name }) => name === first(search.env)) ?? feature.environments[0];
  if (!environment) return <div className="card">This project has no environment yet.</div>;
  return (
    <>
      <Text size="sm" className={classes.narrow}>
        Users for whom the flag is on get one variant, and always the same one. The variants of a strategy apply to the
        users that it is on for; those of the environment apply to strategies without variants.
      </Text>
      <div className="scrolls">
        <SegmentedControl
          aria-label="Environment"
          data={feature.environments.map(environmentOption)}
          value={environment.name}
          onChange={(env) => void navigate({ to: ".", search: { env }, replace: true })}
        />
      </div>
      <OfStrategies feature={feature} environment={environment} />
      <VariantsEditor key={environment.name} feature={feature} version={version} environment={environment} />
    </>
  );
}

interface OfStrategiesProps extends Pick<Shown, "feature"> {
  environment: Schemas["FeatureEnvironmentDetails"];
}

/** The variants of the strategies, which are changed where the strategy is. */
function OfStrategies({ feature, environment }: OfStrategiesProps) {
  const segments = useSegmentNames();
  const strategies = (environment.strategies ?? []).filter(({ variants }) => variants?.length);
  if (strategies.length === 0) return null;
  return (
    <section className="card" aria-label="Variants of strategies">
      <Stack gap="md">
        <Title order={2}>Variants of strategies</Title>
        {strategies.map((strategy) => (
          <div key={strategy.id}>
            <div className="breaks">
              <bdi>{strategy.title || <WithMoments text={audience({ ...strategy, variants: [] }, segments)} />}</bdi>
            </div>
            <WeightBar variants={strategy.variants ?? []} />
            <div>
              <Button
                variant="default"
                size="compact-sm"
                renderRoot={(props) => (
                  <Link
                    to="/projects/$projectId/features/$featureName"
                    params={{ projectId: feature.project, featureName: feature.name }}
                    search={{ env: environment.name, strategy: strategy.id }}
                    {...props}
                  />
                )}
              >
                Edit the strategy
              </Button>
            </div>
          </div>
        ))}
      </Stack>
    </section>
  );
}

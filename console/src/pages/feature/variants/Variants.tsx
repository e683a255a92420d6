import { SegmentedControl, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { first } from "../../../api/address";
import { environmentOption } from "../../../parts/EnvironmentName";
import type { Shown } from "../FeaturePage";
import classes from "../Feature.module.css";
import { VariantsEditor } from "./VariantsEditor";

/** The variants of a feature, which each environment has its own of. */
export function Variants({ feature, version }: Shown) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const environment = feature.environments.find(({ name }) => name === first(search.env)) ?? feature.environments[0];
  if (!environment) return <div className="card">This project has no environment yet.</div>;
  return (
    <>
      <Text size="sm" className={classes.narrow}>
        Those for whom the feature is on get one of these, and always the same one.
      </Text>
      <div className="scrolls">
        <SegmentedControl
          aria-label="Environment"
          data={feature.environments.map(environmentOption)}
          value={environment.name}
          onChange={(env) => void navigate({ to: ".", search: { env }, replace: true })}
        />
      </div>
      <VariantsEditor key={environment.name} feature={feature} version={version} environment={environment} />
    </>
  );
}

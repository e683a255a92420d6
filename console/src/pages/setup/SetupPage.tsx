import { Group, Select, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useAddress } from "../../parts/address";
import { environmentOption } from "../../parts/EnvironmentName";
import { Problem } from "../../parts/Problem";
import { useOfferedProject } from "../../parts/project/offered";
import { useTitle } from "../../parts/title";
import { Connection, ConnectionFields, sdkOf } from "./Connection";
import { useNewestFeature, useUsedEnvironments } from "./where";
import { NoEnvironment } from "./NoEnvironment";
import { ProjectField } from "../../parts/project/ProjectField";
import classes from "./Setup.module.css";

/** From a flag to an application that asks for it. Where, which and by which SDK stands in the address. */
export default function SetupPage() {
  useTitle("Connect an application");
  const { get, change } = useAddress();
  const offered = useOfferedProject();
  const project = get("project") ?? offered ?? "";
  const { overview, environments } = useUsedEnvironments(project);
  const found = useNewestFeature(project);
  const environment = environments.find(({ name }) => name === get("environment"))?.name ?? environments[0]?.name;
  const sdk = sdkOf(get("language"));
  const feature = get("feature") ?? found.data?.features[0]?.name;
  const appName = get("application") ?? `${project}-first-application`;

  return (
    <div className={classes.page}>
      <Title order={1}>Connect an application</Title>
      <section className="card" aria-label="Where">
        <h2>1. Where is it, and what is it written with?</h2>
        <Group gap="md" align="start" className={classes.fields}>
          <ProjectField project={project} onChange={(id) => change({ project: id, feature: undefined })} />
          <Select
            label="Environment"
            allowDeselect={false}
            data={environments.map(environmentOption)}
            value={environment ?? null}
            onChange={(name) => name && change({ environment: name })}
          />
        </Group>
        <ConnectionFields sdk={sdk} appName={appName} change={change} />
        {overview.error && <Problem error={overview.error} again={() => void overview.refetch()} />}
        {found.data && !feature && (
          <p>
            The project has no flag that an application could ask for.{" "}
            <Link to="/projects/$projectId/features" params={{ projectId: project }} search={{ new: "true" }}>
              Create one first
            </Link>
            .
          </p>
        )}
        {overview.data && !environment && <NoEnvironment project={project} />}
      </section>
      {environment && feature && (
        <Connection
          key={`${project} ${environment}`}
          project={project}
          environment={environment}
          feature={feature}
          sdk={sdk}
          appName={appName}
          from={2}
        />
      )}
    </div>
  );
}

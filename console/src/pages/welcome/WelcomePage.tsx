import { Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { useAddress } from "../../parts/address";
import { EnvironmentName } from "../../parts/EnvironmentName";
import { useOfferedProject } from "../../parts/project/offered";
import { useTitle } from "../../parts/title";
import { Waiting } from "../../parts/Waiting";
import { planProject } from "../projects/NewProject";
import { Connection, ConnectionFields, sdkOf } from "../setup/Connection";
import { useReports, useTokens } from "../setup/polled";
import { firstEvaluations, lastUse } from "../setup/tokens";
import { useNewestFeature, useUsedEnvironments } from "../setup/where";
import { NoEnvironment } from "../setup/NoEnvironment";
import { ProjectField } from "../../parts/project/ProjectField";
import { Unread } from "../../parts/Unread";
import { CreateByName } from "./CreateByName";
import { next, type Facts, type Step } from "./steps";
import classes from "./Welcome.module.css";

/** From nothing to an application that evaluates a flag, on one page. What is done is read from the server. */
export default function WelcomePage() {
  useTitle("First steps");
  const { get, change } = useAddress();
  const known = useRead(request("get", "/api/admin/projects"), { staleTime: 60_000 });
  const projects = known.data?.projects ?? [];
  const offered = useOfferedProject();
  const project = get("project") ?? offered ?? "";
  const { environments } = useUsedEnvironments(project);
  const environment = environments[0];
  const newest = useNewestFeature(project);
  const feature = newest.isPlaceholderData ? undefined : newest.data?.features[0]?.name;
  const tokens = useTokens(project);
  const usage = useReports(feature);
  const facts: Facts = {
    project: projects.some(({ id }) => id === project),
    feature: feature !== undefined,
    asked: environment !== undefined && lastUse(tokens.data?.tokens ?? [], environment.name, undefined) !== undefined,
    evaluated:
      feature !== undefined &&
      environment !== undefined &&
      firstEvaluations(usage.data?.data ?? [], environment.name) !== undefined,
  };
  const now = next(facts);
  const step = { facts, now };
  const sdk = sdkOf(get("language"));
  const appName = get("application") ?? `${project}-first-application`;
  if (known.isPending) return <Waiting rows={12} />;

  return (
    <div className={classes.page}>
      <Title order={1}>First steps</Title>
      <p>
        A flag is a switch in your application that is turned from here: for everybody, for a share of users, or for
        some.
      </p>
      <Card {...step} step="project" title="1. A project holds what belongs together">
        {projects.length > 0 && <ProjectField project={project} onChange={(id) => change({ project: id })} />}
        <CreateByName
          label="Or create one"
          description="A project has its own people and environments."
          maxLength={200}
          plan={(name) => planProject("", name, "", "open")}
          action="Create project"
          done={(name) => `The project ${name} was created.`}
          onMade={({ id }) => change({ project: id })}
        />
      </Card>
      <Card {...step} step="feature" title="2. A feature flag has a name that the application asks for">
        {!newest.data ? (
          <Unread read={newest} rows={2} />
        ) : feature ? (
          <p>
            <Link
              to="/projects/$projectId/features/$featureName"
              params={{ projectId: project, featureName: feature }}
              className="breaks"
            >
              <bdi>{feature}</bdi>
            </Link>{" "}
            is the newest of <bdi>{project}</bdi>.
          </p>
        ) : (
          <CreateByName
            key={project}
            label="Name of the flag"
            description="It is off everywhere to begin with."
            maxLength={100}
            plan={(name) =>
              request("post", "/api/admin/projects/{projectId}/features", {
                params: { path: { projectId: project } },
                body: { name, type: "release" },
              })
            }
            place={{ project }}
            action="Create flag"
            done={(name) => `${name} was created. It is off everywhere.`}
            onMade={() => undefined}
          />
        )}
      </Card>
      <Card {...step} step="asked" title="3. An application asks">
        {!feature ? (
          <p>Once there is a flag, this creates a token and shows the code.</p>
        ) : !environment ? (
          <NoEnvironment project={project} />
        ) : (
          <>
            <ConnectionFields sdk={sdk} appName={appName} change={change} />
            <p>
              In <EnvironmentName name={environment.name} type={environment.type} />, where a slip hurts least.
            </p>
          </>
        )}
      </Card>
      {feature && environment && (
        <Connection
          key={`${project} ${environment.name}`}
          project={project}
          environment={environment.name}
          feature={feature}
          sdk={sdk}
          appName={appName}
          from={4}
        />
      )}
      {!now && (
        <p role="status">
          All of it is done. <Link to="/playground">The playground</Link> shows what a flag comes to for one user,{" "}
          <Link to="/history">the event log</Link> who changed what.
        </p>
      )}
    </div>
  );
}

interface CardProps {
  facts: Facts;
  now: Step | undefined;
  step: Step;
  title: string;
  children: ReactNode;
}

function Card({ facts, now, step, title, children }: CardProps) {
  return (
    <section
      className={`card ${classes.step}`}
      aria-label={title.slice(3)}
      aria-current={step === now ? "step" : undefined}
    >
      <h2>
        {title}{" "}
        {facts[step] ? (
          <span className="chip good">✓ done</span>
        ) : (
          step === now && <span className="chip chosen">next</span>
        )}
      </h2>
      {children}
    </section>
  );
}

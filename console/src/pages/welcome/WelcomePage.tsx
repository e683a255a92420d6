import { Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useEnvironments, useProjects, useRead } from "../../api/queries";
import { request } from "../../api/request";
import { Problem } from "../../parts/Problem";
import { useTitle } from "../../parts/title";
import { Waiting } from "../../parts/Waiting";
import { done, next, type Facts, type Step } from "./steps";
import classes from "./Welcome.module.css";

/** From nothing to a program that asks for a feature. What is done is seen from the server, not ticked off. */
export default function WelcomePage() {
  useTitle("First steps");
  const projects = useProjects();
  const environments = useEnvironments();
  const features = useRead(
    request("get", "/api/admin/search/features", { params: { query: { limit: "1", sortBy: "createdAt" } } }),
  );
  const isOn = useRead(
    request("get", "/api/admin/search/features", {
      params: { query: { limit: "1", status: environments.map(({ name }) => `${name}:enabled`) } },
    }),
    { enabled: environments.length > 0 },
  );
  const programs = useRead(request("get", "/api/admin/metrics/applications", { params: { query: { limit: "1" } } }));
  const failed = [features, isOn, programs].find(({ error, data }) => error && !data);
  const feature = features.data?.features[0];

  return (
    <div className={classes.page}>
      <Title order={1}>First steps</Title>
      <p>
        A flag is a switch in your application that is turned from here: for everybody, for a share of users, or for
        some.
      </p>
      {failed ? (
        <Problem error={failed.error} again={() => void failed.refetch()} />
      ) : !features.data || !isOn.data || !programs.data ? (
        <Waiting />
      ) : (
        <Steps
          facts={{
            projects: projects.length,
            features: features.data.total ?? 0,
            isOn: (isOn.data.total ?? 0) > 0,
            programs: programs.data.total,
          }}
          feature={feature && { project: feature.project, name: feature.name }}
        />
      )}
    </div>
  );
}

interface StepsProps {
  facts: Facts;
  feature: { project: string; name: string } | undefined;
}

function Steps({ facts, feature }: StepsProps) {
  const isDone = done(facts);
  const now = next(facts);
  const steps: Record<Step, { title: string; text: ReactNode }> = {
    project: {
      title: "A project holds what belongs together",
      text: (
        <>
          There is one for a start. <Link to="/projects">Create your own</Link> where others should not mix in: a
          project has its own people and environments.
        </>
      ),
    },
    feature: {
      title: "Create a flag",
      text: (
        <>
          Give it{" "}
          <Link to="/features" search={{ new: "true" }}>
            a name
          </Link>{" "}
          that your application asks for. It is off everywhere to begin with, so nothing happens yet.
        </>
      ),
    },
    connect: {
      title: "Connect an application",
      text: (
        <>
          It needs a token and a few lines.{" "}
          <Link to="/setup" search={feature ? { project: feature.project, feature: feature.name } : {}}>
            Connect one
          </Link>
          : the page tells when it asked for the first time.
        </>
      ),
    },
    switch: {
      title: "Switch it on, for some first",
      text: feature ? (
        <>
          On{" "}
          <Link
            to="/projects/$projectId/features/$featureName"
            params={{ projectId: feature.project, featureName: feature.name }}
            className="breaks"
          >
            <bdi>{feature.name}</bdi>
          </Link>{" "}
          add a strategy, and switch it on where it is developed. Production is marked ▲, and asks before it changes.
        </>
      ) : (
        "Once there is a flag, it has a switch for each environment."
      ),
    },
  };
  return (
    <>
      <ol className={classes.steps}>
        {Object.entries(steps).map(([step, { title, text }], at) => (
          <li key={step} className={`card ${classes.step}`} aria-current={step === now ? "step" : undefined}>
            <h2>
              {at + 1}. {title}{" "}
              {isDone[step as Step] ? (
                <span className="chip good">✓ done</span>
              ) : (
                step === now && <span className="chip chosen">next</span>
              )}
            </h2>
            <p>{text}</p>
          </li>
        ))}
      </ol>
      {!now && (
        <p role="status">
          All of it is done. <Link to="/playground">The playground</Link> tells what a flag comes to for somebody,{" "}
          <Link to="/history">the history</Link> who changed what.
        </p>
      )}
    </>
  );
}

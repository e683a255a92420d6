import { Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useMe, useRead } from "../../api/queries";
import { request } from "../../api/request";
import { Sentence } from "../../parts/events/EventSentence";
import { nameOf } from "../../parts/people";
import { Moment } from "../../parts/Moment";
import { useTitle } from "../../parts/title";
import { Unread } from "../../parts/Unread";
import { Cleaning } from "./Cleaning";
import { MyFeatures } from "./MyFeatures";
import { useMine } from "./mine";
import { MyProjects } from "./MyProjects";
import classes from "./Home.module.css";

/** Where one is every morning: what is mine, what happened to it, what waits. */
export default function HomePage() {
  useTitle("Home");
  const user = useMe()?.user;
  const read = useRead(request("get", "/api/admin/personal-dashboard"));
  const flags = useMemo(() => read.data?.flags ?? [], [read.data]);
  const mine = useMine(flags, user?.id);
  const steps = useFirstSteps();
  // All at once: what comes later would push away what is there.
  const ready = mine.isReady && steps.isReady ? read.data : undefined;
  return (
    <div className={classes.page}>
      <Title order={1} className={`breaks ${classes.across}`}>
        Home
        {user && (
          <span className="visually-hidden">
            {" "}
            of <bdi>{nameOf(user)}</bdi>
          </span>
        )}
      </Title>
      {!ready ? (
        <div className={classes.across}>
          <Unread read={read} rows={10} />
        </div>
      ) : (
        <>
          {steps.left && <FirstSteps hasFlags={steps.left === "application"} />}
          <MyFeatures flags={flags} found={mine.found} />
          <MyProjects projects={ready.projects} admins={ready.admins} />
        </>
      )}
      {(ready || read.error) && (
        <>
          <Cleaning />
          <Latest />
        </>
      )}
    </div>
  );
}

/** Which of the first steps is left, if any: a flag, or an application that asks for one. */
function useFirstSteps() {
  const features = useRead(request("get", "/api/admin/search/features", { params: { query: { limit: "1" } } }));
  const programs = useRead(request("get", "/api/admin/metrics/applications", { params: { query: { limit: "1" } } }));
  const isReady = [features, programs].every(({ data, error }) => data || error);
  if (!features.data || !programs.data) return { isReady };
  return { isReady, left: !features.data.total ? "flag" : !programs.data.total ? "application" : undefined };
}

/** Until an application has asked for a feature, the guide is one click away. */
function FirstSteps({ hasFlags }: { hasFlags: boolean }) {
  return (
    <section className={`card ${classes.across}`} aria-label="First steps">
      <h2>{hasFlags ? "One step is left" : "Begin here"}</h2>
      <p>
        {hasFlags ? "There are flags, and no application has asked for any of them yet." : "There is no flag yet."}{" "}
        <Link to="/welcome">The first steps</Link> lead from nothing to an application that asks.
      </p>
    </section>
  );
}

function Latest() {
  const read = useRead(request("get", "/api/admin/search/events", { params: { query: { limit: "8" } } }));
  return (
    <section className="card" aria-label="What happened last">
      <h2>What happened last</h2>
      {!read.data ? (
        <Unread read={read} />
      ) : read.data.events.length === 0 ? (
        <p>Nothing yet that you may see.</p>
      ) : (
        <ul className={classes.list}>
          {read.data.events.map((event) => (
            <li key={event.id} className={classes.line}>
              <Sentence event={event} />
              <span className="muted">
                <Moment at={event.createdAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <Link to="/history">Event log</Link>
    </section>
  );
}

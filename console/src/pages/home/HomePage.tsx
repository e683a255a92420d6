import { Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMe, useRead } from "../../api/queries";
import { request } from "../../api/request";
import { Sentence } from "../../parts/events/Events";
import { nameOf } from "../../parts/people";
import { Moment } from "../../parts/Moment";
import { Problem } from "../../parts/Problem";
import { useTitle } from "../../parts/title";
import { Waiting } from "../../parts/Waiting";
import { Cleaning } from "./Cleaning";
import { MyFeatures } from "./MyFeatures";
import { MyProjects } from "./MyProjects";
import classes from "./Home.module.css";

/** Where one is every morning: what is mine, what happened to it, what waits. */
export default function HomePage() {
  useTitle("Home");
  const user = useMe()?.user;
  const read = useRead(request("get", "/api/admin/personal-dashboard"));
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
      {read.error && !read.data ? (
        <div className={classes.across}>
          <Problem error={read.error} again={() => void read.refetch()} />
        </div>
      ) : !read.data ? (
        <div className={classes.across}>
          <Waiting rows={10} />
        </div>
      ) : (
        <>
          <FirstSteps />
          <MyFeatures flags={read.data.flags} />
          <MyProjects projects={read.data.projects} admins={read.data.admins} />
        </>
      )}
      <Cleaning />
      <Latest />
    </div>
  );
}

/** Until a program has asked for a feature, the guide is one click away. */
function FirstSteps() {
  const features = useRead(request("get", "/api/admin/search/features", { params: { query: { limit: "1" } } }));
  const programs = useRead(request("get", "/api/admin/metrics/applications", { params: { query: { limit: "1" } } }));
  if (!features.data || !programs.data) return null;
  if (features.data.total && programs.data.total) return null;
  return (
    <section className={`card ${classes.across}`} aria-label="First steps">
      <h2>{features.data.total ? "One step is left" : "Begin here"}</h2>
      <p>
        {features.data.total
          ? "There are flags, and no application has asked for any of them yet."
          : "There is no flag yet."}{" "}
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
      {read.error && !read.data ? (
        <Problem error={read.error} again={() => void read.refetch()} />
      ) : !read.data ? (
        <Waiting />
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
      <Link to="/history">All of the history</Link>
    </section>
  );
}

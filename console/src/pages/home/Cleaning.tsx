import { Link } from "@tanstack/react-router";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { Moment } from "../../parts/Moment";
import { Unread } from "../../parts/Unread";
import classes from "./Home.module.css";

/** What was marked as stale and is still there, the oldest first. */
export function Cleaning() {
  const read = useRead(
    request("get", "/api/admin/search/features", {
      params: { query: { state: "IS:stale", sortBy: "createdAt", sortOrder: "asc", limit: "5" } },
    }),
  );
  const total = read.data?.total ?? 0;
  return (
    <section className="card" aria-label="Waits for cleaning">
      <h2>{total ? `${total} stale ${total === 1 ? "flag waits" : "flags wait"} for cleaning` : "Cleaning"}</h2>
      {!read.data ? (
        <Unread read={read} />
      ) : total === 0 ? (
        <p>No flag is marked as stale.</p>
      ) : (
        <>
          <ul className={classes.list}>
            {read.data.features.map(({ name, project, createdAt }) => (
              <li key={`${project}/${name}`} className={classes.line}>
                <span className="breaks">
                  <Link
                    to="/projects/$projectId/features/$featureName"
                    params={{ projectId: project, featureName: name }}
                  >
                    <bdi>{name}</bdi>
                  </Link>{" "}
                  <Link to="/projects/$projectId/$tab" params={{ projectId: project, tab: "health" }} className="muted">
                    health of <bdi>{project}</bdi>
                  </Link>
                </span>
                <span className="muted">
                  created <Moment at={createdAt} />
                </span>
              </li>
            ))}
          </ul>
          <Link to="/features" search={{ state: "IS:stale", sortBy: "createdAt", sortOrder: "asc" }}>
            All of them
          </Link>
        </>
      )}
    </section>
  );
}

import { Link } from "@tanstack/react-router";
import { serverTime } from "../../api/clock";
import type { Schemas } from "../../api/request";
import { Bars } from "../../parts/charts/Bars";
import { HeatMap } from "../../parts/charts/HeatMap";
import { Lines } from "../../parts/charts/Lines";
import { Stacked } from "../../parts/charts/Stacked";
import classes from "./Insights.module.css";
import { evaluations, features, health, people, sizes, toProduction, updates } from "./series";

/** A picture for each question that insights answer. */
export function Pictures({
  insights,
  from,
  to,
}: {
  insights: Schemas["InstanceInsights"];
  from?: string;
  to?: string;
}) {
  const healthy = health(insights);
  const today = new Date(serverTime()).toISOString().slice(0, 10);
  const isTodayIn = (!from || from <= today) && (!to || to >= today);
  const evaluated = evaluations(insights);
  return (
    <div className={classes.pictures}>
      <Stacked {...features(insights, today)} unit="Flags on each day" of="Day" file="features" />
      <Stacked
        {...people(insights, isTodayIn ? today : undefined)}
        unit="People on each day, active within 60 days or not"
        of="Day"
        file="people"
      />
      <div className={classes.across}>
        <HeatMap
          {...healthy}
          unit="Health in %, by project and week, the worst first: the share of flags that are neither stale nor too old"
          of="Project"
          file="health"
          head={(row) => (
            <Link
              to="/projects/$projectId/$tab"
              params={{ projectId: healthy.points[row]!.label, tab: "health" }}
              className="breaks"
            >
              <bdi>{healthy.points[row]!.label}</bdi>
            </Link>
          )}
        />
      </div>
      <Lines {...sizes(insights)} unit="Flags of each project, by week" of="Week" file="projects" />
      <Stacked
        {...updates(insights)}
        unit="Changes of flags by type of environment and week"
        of="Week"
        file="changes"
      />
      <Bars
        {...toProduction(insights)}
        unit="Days from creation to being on in production, release flags"
        of="Project"
        file="days-to-production"
        empty="Once a release flag is on in production, its days are here."
      />
      <Bars
        {...evaluated}
        unit="Evaluations by project, all days together"
        of="Project"
        file="evaluations"
        empty="Once an application asks for a flag, this counts how often."
      />
    </div>
  );
}

import type { Schemas } from "../../api/request";
import { number } from "../../words/counts";
import { uses } from "./limits";
import classes from "./Instance.module.css";

interface Props {
  limits: Schemas["ResourceLimits"];
  statistics: Schemas["InstanceStatistics"];
}

/** How much of what the operator allows is used. */
export function Limits({ limits, statistics }: Props) {
  return (
    <section className="card" aria-label="Limits">
      <h2>Limits</h2>
      <table className={classes.limits}>
        <thead>
          <tr>
            <th scope="col">Of what</th>
            <th scope="col">Used</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {uses(limits, statistics).map(({ label, used, most, isTight }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td className="figures">
                {number(used)} of {number(most)}
                {isTight && <span className="chip warning">little left</span>}
              </td>
              <td>
                <meter min={0} max={most} high={most * 0.8} optimum={0} value={used} aria-label={`${label}: used`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="muted">
        Also at most {limits.constraints} constraints of a strategy, {limits.constraintValues} values of a constraint,{" "}
        {limits.segmentValues} values of a segment and {limits.strategySegments} segments of a strategy. The operator
        sets these.
      </p>
    </section>
  );
}

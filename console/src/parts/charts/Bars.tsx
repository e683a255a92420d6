import { Figure, type Figures } from "./Figure";
import { rounded } from "./scale";
import classes from "./charts.module.css";

const shown = 15;

/** One figure for each of some things: bars that lie, with their numbers. The first series is drawn; the table has all. */
export function Bars({ points, ...props }: Figures) {
  const most = Math.max(1, ...points.map(({ values }) => values[0] ?? 0));
  return (
    <Figure {...props} points={points}>
      {() => (
        <>
          <div className={classes.bars}>
            {points.slice(0, shown).map(({ label, values: [value = 0] }, at) => (
              <div key={`${label} ${at}`} className={classes.bar}>
                <span className="breaks">
                  <bdi>{label}</bdi>
                </span>
                <span className={classes.rail}>
                  <span className={classes.length} style={{ width: `${(100 * value) / most}%` }} />
                </span>
                <span className="figures">{rounded(value)}</span>
              </div>
            ))}
          </div>
          {points.length > shown && <span className="muted">{points.length - shown} more are in the table.</span>}
        </>
      )}
    </Figure>
  );
}

import { Figure, type Figures } from "./Figure";
import { Ends } from "./Stacked";
import { colour, dash } from "./marks";
import { ceiling, rounded, spread } from "./scale";
import classes from "./charts.module.css";

/** The first five series have a colour and a name at their end; the others are grey. */
interface Props extends Figures {
  /** The end of the scale, where it is known. */
  top?: number;
}

const height = 180;
const width = 600;
const named = 5;
const drawn = 50;

/** Lines over time, each with its name at its end. A value that is missing (NaN) leaves a gap. */
export function Lines(props: Props) {
  const { series, points, finding } = props;
  const known = points.flatMap(({ values }) => values.filter(Number.isFinite));
  const top = props.top ?? ceiling(Math.max(0, ...known));
  const x = (index: number) => (points.length < 2 ? width / 2 : (index / (points.length - 1)) * width);
  const y = (value: number) => height - (value / top) * height;
  const lineOf = (one: number) => {
    let pen = "M";
    return points
      .map(({ values }, index) => {
        const value = values[one];
        if (value === undefined || !Number.isFinite(value)) {
          pen = "M";
          return "";
        }
        const part = `${pen}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
        pen = "L";
        // A point alone is a line of no length, which round caps make visible.
        return points.length < 2 ? `${part}h0.1` : part;
      })
      .join("");
  };
  const ends = series.slice(0, named).map((_, one) => {
    const last = [...points].reverse().find(({ values }) => Number.isFinite(values[one]))?.values[one];
    return y(last ?? 0);
  });
  const heights = spread(ends, 14, height - 7);
  return (
    <Figure {...props} browsed>
      {(at) => (
        <div>
          <div className={classes.labelled}>
            <div className={classes.plot}>
              <span className={`muted figures ${classes.most}`}>{rounded(top)}</span>
              <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={finding}>
                <line x1="0" x2={width} y1={height} y2={height} stroke="var(--edge)" />
                {[...series.slice(0, drawn).keys()].reverse().map((one) => (
                  <path
                    key={one}
                    d={lineOf(one)}
                    fill="none"
                    stroke={colour(one)}
                    strokeWidth={one < named ? 2 : 1}
                    strokeDasharray={one < named ? dash(one) : undefined}
                    strokeLinecap="round"
                    vectorEffect="non-scaling-stroke"
                  />
                ))}
                {at !== undefined && (
                  <line
                    x1={x(at)}
                    x2={x(at)}
                    y1="0"
                    y2={height}
                    stroke="var(--text)"
                    vectorEffect="non-scaling-stroke"
                  />
                )}
              </svg>
            </div>
            <div className={classes.labels} aria-hidden>
              {series.slice(0, named).map((name, one) => (
                <span key={name} className={classes.label} style={{ top: heights[one] }} title={name}>
                  <svg width="16" height="6">
                    <line
                      x1="0"
                      x2="16"
                      y1="3"
                      y2="3"
                      stroke={colour(one)}
                      strokeWidth="2"
                      strokeDasharray={dash(one)}
                    />
                  </svg>{" "}
                  <bdi>{name}</bdi>
                </span>
              ))}
            </div>
          </div>
          <Ends points={points} />
        </div>
      )}
    </Figure>
  );
}

import { Figure, type Figures } from "./Figure";
import { ceiling, rounded, type Point } from "./scale";
import classes from "./charts.module.css";

interface Props extends Figures {
  /** What lies along the bottom, and what goes up. */
  series: [string, string];
  /** Which of them are marked. */
  marked: (index: number) => boolean;
}

const height = 180;
const width = 600;

/** Things by two of their figures: marked ones are crosses, others are dots. */
export function Scatter({ marked, ...props }: Props) {
  const { points, finding, series } = props;
  const [right, top] = [0, 1].map((one) => ceiling(Math.max(0, ...points.map(({ values }) => values[one] ?? 0))));
  const placeOf = ({ values: [x = 0, y = 0] }: Point): [number, number] => [
    (x / right!) * width,
    height - (y / top!) * height,
  ];
  // One shape for all dots and one for all crosses, however many there are.
  const all = (is: (index: number) => boolean, draw: (x: number, y: number) => string) =>
    points.map((point, index) => (is(index) ? draw(...placeOf(point)) : "")).join("");
  return (
    <Figure {...props} browsed>
      {(at) => (
        <div>
          <div className={classes.plot}>
            <span className={`muted figures ${classes.most}`}>
              {rounded(top!)} {series[1]}
            </span>
            <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={finding}>
              <path d={`M0 0V${height}H${width}`} fill="none" stroke="var(--edge)" vectorEffect="non-scaling-stroke" />
              <path
                d={all((index) => !marked(index), dotAt)}
                stroke="var(--chart-1)"
                strokeWidth="7"
                strokeLinecap="round"
                vectorEffect="non-scaling-stroke"
              />
              <path
                d={all(marked, crossAt)}
                stroke="var(--danger)"
                strokeWidth="2"
                fill="none"
                vectorEffect="non-scaling-stroke"
              />
              {at !== undefined && (
                <path
                  d={dotAt(...placeOf(points[at]!))}
                  stroke="var(--text)"
                  strokeWidth="13"
                  strokeLinecap="round"
                  vectorEffect="non-scaling-stroke"
                />
              )}
            </svg>
          </div>
          <div className={`muted figures ${classes.ends}`} aria-hidden>
            <span>0</span>
            <span>
              {rounded(right!)} {series[0]}
            </span>
          </div>
        </div>
      )}
    </Figure>
  );
}

const dotAt = (x: number, y: number) => `M${x} ${y}h0.01`;
const crossAt = (x: number, y: number) => `M${x - 3} ${y - 4}l6 8m0 -8l-6 8`;

import { Figure } from "./Figure";
import { ceiling, rounded, type Point } from "./scale";
import classes from "./charts.module.css";

interface Props {
  finding: string;
  unit: string;
  of: string;
  /** What lies along the bottom, and what goes up. */
  series: [string, string];
  points: Point[];
  /** Which of them are marked. */
  marked: (index: number) => boolean;
  file: string;
}

const height = 180;
const width = 600;

/** Things by two of their figures: marked ones are crosses, others are dots. */
export function Scatter({ marked, ...props }: Props) {
  const { points, finding, series } = props;
  const [right, top] = [0, 1].map((one) => ceiling(Math.max(0, ...points.map(({ values }) => values[one] ?? 0))));
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
              {points.map(({ label, values: [x = 0, y = 0] }, index) => {
                const [left, down] = [(x / right!) * width, height - (y / top!) * height];
                const isShown = at === index;
                return (
                  <path
                    key={`${label} ${index}`}
                    d={marked(index) ? `M${left - 3} ${down - 4}l6 8m0 -8l-6 8` : `M${left} ${down}h0.01`}
                    stroke={marked(index) ? "var(--danger)" : "var(--chart-1)"}
                    strokeWidth={isShown ? 12 : marked(index) ? 2 : 7}
                    strokeLinecap="round"
                    vectorEffect="non-scaling-stroke"
                  />
                );
              })}
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

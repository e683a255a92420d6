import { useId } from "react";
import { Figure, type Figures } from "./Figure";
import { Legend, Paints, paint } from "./marks";
import { ceiling, rounded, tickAt, type Point } from "./scale";
import classes from "./charts.module.css";

const height = 180;
const width = 600;

/** Bars for points in time, whose parts add up. */
export function Stacked(props: Figures) {
  const { series, points, finding } = props;
  const under = `c${useId().replace(/\W/g, "")}`;
  const top = ceiling(Math.max(0, ...points.map(({ values }) => values.reduce((sum, one) => sum + one, 0))));
  const step = width / Math.max(1, points.length);
  const gap = step > 6 ? 1.5 : 0;
  const hasAxis = points.some(({ tick }) => tick !== undefined);
  const half = hasAxis && Number.isInteger(top / 2) ? top / 2 : undefined;
  // One shape for each series, however many points there are.
  const barsOf = (one: number) =>
    points
      .map(({ values }, index) => {
        const below = values.slice(0, one).reduce((sum, value) => sum + value, 0);
        const bottom = height - (below / top) * height;
        const wide = Math.max(0.5, step - 2 * gap);
        return `M${index * step + gap} ${bottom}h${wide}v${-((values[one] ?? 0) / top) * height}h${-wide}z`;
      })
      .join("");
  return (
    <Figure
      {...props}
      browsed
      legend={
        <>
          <svg width="0" height="0" aria-hidden>
            <Paints under={under} count={series.length} />
          </svg>
          <Legend series={series} under={under} />
        </>
      }
    >
      {(at) => (
        <div>
          <div className={classes.plot}>
            <span className={`muted figures ${classes.most}`}>{rounded(top)}</span>
            {half !== undefined && <span className={`muted figures ${classes.half}`}>{rounded(half)}</span>}
            <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={finding}>
              {hasAxis && <path d={gridOf(points, step)} stroke="var(--line)" vectorEffect="non-scaling-stroke" />}
              <line x1="0" x2={width} y1={height} y2={height} stroke="var(--edge)" />
              {series.map((name, one) => (
                <path key={name} d={barsOf(one)} fill={paint(under, one)} />
              ))}
              {at !== undefined && (
                <rect x={at * step} width={step} y="0" height={height} fill="none" stroke="var(--text)" />
              )}
            </svg>
          </div>
          {hasAxis ? <Axis points={points} /> : <Ends points={points} />}
        </div>
      )}
    </Figure>
  );
}

/** Lines at the top, in the middle, and above each point that the axis names. */
const gridOf = (points: readonly Point[], step: number) =>
  `M0 0H${width}M0 ${height / 2}H${width}` +
  points.map(({ tick }, at) => (tick === undefined ? "" : `M${(at + 0.5) * step} ${height}v5`)).join("");

function Axis({ points }: { points: readonly Point[] }) {
  return (
    <div className={`muted figures ${classes.axis}`} aria-hidden>
      {points.map(({ label, tick }, index) => {
        if (tick === undefined) return null;
        const { at, side } = tickAt(index, points.length);
        return (
          <span key={label} data-side={side} style={{ insetInlineStart: `${at}%` }}>
            {tick}
          </span>
        );
      })}
    </div>
  );
}

export function Ends({ points }: { points: readonly Point[] }) {
  return (
    <div className={`muted figures ${classes.ends}`} aria-hidden>
      <span>{points[0]?.label}</span>
      {points.length > 1 && <span>{points.at(-1)?.label}</span>}
    </div>
  );
}

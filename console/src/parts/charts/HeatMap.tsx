import type { ReactNode } from "react";
import { Figure, type Figures } from "./Figure";
import classes from "./charts.module.css";

/** Its series are the columns, and its points the rows. */
interface Props extends Figures {
  head: (row: number) => ReactNode;
}

const columns = 12;
const rows = 20;

/** Shares from 0 to 100 by row and column: the darker the cell, the worse. Each cell has its number. */
export function HeatMap({ head, ...props }: Props) {
  const { series, points } = props;
  const from = Math.max(0, series.length - columns);
  return (
    <Figure {...props}>
      {() => (
        <>
          <div className="scrolls" tabIndex={0} role="region" aria-label={props.finding}>
            <table className={classes.heat}>
              <thead>
                <tr>
                  <th scope="col">{props.of}</th>
                  {series.slice(from).map((name) => (
                    <th key={name} scope="col" className="figures">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {points.slice(0, rows).map(({ label, values }, row) => (
                  <tr key={label}>
                    <th scope="row">{head(row)}</th>
                    {values.slice(from).map((value, at) => (
                      <td key={at} className="figures" style={{ background: tint(value) }}>
                        {Number.isFinite(value) ? value : "–"}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {(points.length > rows || from > 0) && (
            <span className="muted">
              The {Math.min(points.length, rows)} worst, the last {series.length - from} columns: the table has all.
            </span>
          )}
        </>
      )}
    </Figure>
  );
}

const tint = (health: number) =>
  Number.isFinite(health)
    ? `color-mix(in srgb, var(--danger) ${Math.round((100 - health) * 0.45)}%, var(--card))`
    : undefined;

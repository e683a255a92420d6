import { Table } from "@mantine/core";
import { useRef, useState, type ReactNode } from "react";
import { SaveAs } from "./SaveAs";
import { rounded, type Point } from "./scale";
import classes from "./charts.module.css";

/** Sentence, unit and numbers of a picture. */
export interface Figures {
  /** What the picture shows, as a sentence. */
  finding: string;
  /** What is counted, and in what. */
  unit: string;
  /** What a point is: a day, a week, a project. */
  of: string;
  series: string[];
  points: Point[];
  /** Name of the file of its rows. */
  file: string;
  /** What says there is nothing to draw. */
  empty?: string;
}

interface Props extends Figures {
  legend?: ReactNode;
  /** Draws it; `at` is the point that the reader looks at. */
  children: (at: number | undefined) => ReactNode;
  /** What tells the reader of a point, where it is worth looking at single ones. */
  browsed?: boolean;
}

const listed = 500;
const told = 8;

/** A picture with a sentence; its numbers by keyboard, as a table, and as a file. */
export function Figure({ finding, unit, of, series, points, file, legend, children, browsed, empty }: Props) {
  const [chosen, setChosen] = useState<number>();
  const drawing = useRef<HTMLElement>(null);
  const [isOpen, setOpen] = useState(false);
  const at = chosen === undefined ? undefined : Math.min(chosen, points.length - 1);
  const said = (point: Point | undefined) => {
    if (!point) return "";
    const parts = series.slice(0, told).map((name, one) => `${rounded(point.values[one] ?? NaN)} ${name}`);
    const more = series.length > told ? [`${series.length - told} more`] : [];
    return `${point.label}: ${[...parts, ...more].join(", ")}`;
  };
  // Marks that all lie at the origin show less than a sentence.
  const isBlank = points.every(({ values }) => values.every((value) => !value));
  const rows = [
    [of, ...series],
    ...points.map(({ label, values }) => [label, ...values.map((one) => (Number.isFinite(one) ? one : ""))]),
  ];
  return (
    <figure ref={drawing} className={`card ${classes.figure}`}>
      <h2>{finding}</h2>
      <div className={classes.head}>
        <figcaption className="muted">{unit}</figcaption>
        {!isBlank && <SaveAs figure={drawing} finding={finding} file={file} rows={rows} />}
      </div>
      {isBlank ? (
        <p className="muted">
          {empty ?? (points.length ? "All figures are 0 so far." : "There are no figures for these days.")}
        </p>
      ) : (
        <>
          {children(at)}
          {browsed && points.length > 1 && (
            <>
              <input
                type="range"
                className={classes.scrub}
                min={0}
                max={points.length - 1}
                value={at ?? points.length - 1}
                aria-label={`${of} of: ${finding}`}
                aria-valuetext={said(points[at ?? points.length - 1])}
                onChange={(event) => setChosen(Number(event.currentTarget.value))}
                onBlur={() => setChosen(undefined)}
              />
              <div className="muted figures breaks">{said(points[at ?? points.length - 1])}</div>
            </>
          )}
          {legend && <ul className={classes.legend}>{legend}</ul>}
          <details className="request" onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>As a table</summary>
            {isOpen && <Numbers finding={finding} of={of} series={series} points={points} />}
          </details>
        </>
      )}
    </figure>
  );
}

/** All figures, drawn only once somebody wants them. */
function Numbers({ finding, of, series, points }: Pick<Props, "finding" | "of" | "series" | "points">) {
  return (
    <>
      {points.length > listed && (
        <p className="muted">
          The last {listed} of {points.length}: the file has all.
        </p>
      )}
      <div className="scrolls preview" tabIndex={0} role="region" aria-label={`Table of: ${finding}`}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{of}</Table.Th>
              {series.map((name) => (
                <Table.Th key={name}>
                  <bdi>{name}</bdi>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {points.slice(-listed).map(({ label, values }, row) => (
              <Table.Tr key={`${label} ${row}`}>
                <Table.Td className="figures">{label}</Table.Td>
                {series.map((name, one) => (
                  <Table.Td key={name} className="figures">
                    {rounded(values[one] ?? NaN)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </>
  );
}

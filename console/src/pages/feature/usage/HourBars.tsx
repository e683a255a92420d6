import { finding, type Hour } from "./hours";

const height = 120;
const step = 20;

/** Bars of an hour each: yes below in the accent, no above in grey. The table has the numbers. */
export function HourBars({ hours }: { hours: readonly Hour[] }) {
  const most = Math.max(1, ...hours.map(({ yes, no }) => yes + no));
  const tall = (count: number) => (count / most) * height;
  return (
    <figure style={{ margin: "12px 0" }}>
      <svg
        viewBox={`0 0 ${hours.length * step} ${height + 18}`}
        width="100%"
        height={160}
        preserveAspectRatio="none"
        role="img"
        aria-label={finding(hours)}
      >
        <line x1="0" x2={hours.length * step} y1={height} y2={height} stroke="var(--edge)" />
        {hours.map(({ at, yes, no }, index) => (
          <g key={at}>
            <title>{`${at.slice(0, 13).replace("T", " ")}:00 UTC: ${yes} yes, ${no} no`}</title>
            <rect
              x={index * step + 2}
              width={step - 4}
              y={height - tall(yes)}
              height={tall(yes)}
              fill="var(--accent)"
            />
            <rect
              x={index * step + 2}
              width={step - 4}
              y={height - tall(yes + no)}
              height={tall(no)}
              fill="var(--edge)"
            />
          </g>
        ))}
      </svg>
      <figcaption className="muted figures">
        {hours[0]?.at.slice(0, 13).replace("T", " ")}:00 to {hours.at(-1)?.at.slice(0, 13).replace("T", " ")}:00 UTC, at
        most {most} in an hour · accent: yes, grey: no
      </figcaption>
    </figure>
  );
}

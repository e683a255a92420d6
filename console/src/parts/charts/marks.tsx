/** How series differ besides their colours: lines by their dashes, areas by their hatching. The sixth and on are grey. */
const dashes = [undefined, "6 3", "2 3", "10 3 2 3", "12 4"];

export const colour = (series: number) => (series < 5 ? `var(--chart-${series + 1})` : "var(--edge)");
export const dash = (series: number) => dashes[series % dashes.length];

/** Paint for the areas of a series; `under` keeps the ids of two pictures apart. */
export const paint = (under: string, series: number) => `url(#${under}-${series})`;

export function Paints({ under, count }: { under: string; count: number }) {
  return (
    <defs>
      {Array.from({ length: count }, (_, series) => (
        <pattern key={series} id={`${under}-${series}`} width="6" height="6" patternUnits="userSpaceOnUse">
          <rect width="6" height="6" fill={colour(series)} fillOpacity={series % 3 === 0 ? 1 : 0.35} />
          {series % 3 === 1 && <path d="M-1 7 7 -1M-4 4 4 -4M2 10 10 2" stroke={colour(series)} strokeWidth="2" />}
          {series % 3 === 2 && <circle cx="3" cy="3" r="1.6" fill={colour(series)} />}
        </pattern>
      ))}
    </defs>
  );
}

export function Legend({ series, under, lines }: { series: string[]; under: string; lines?: boolean }) {
  return (
    <>
      {series.map((name, at) => (
        <li key={name}>
          <svg width="22" height="12" aria-hidden>
            {lines ? (
              <line x1="0" x2="22" y1="6" y2="6" stroke={colour(at)} strokeWidth="2" strokeDasharray={dash(at)} />
            ) : (
              <rect width="22" height="12" fill={paint(under, at)} />
            )}
          </svg>
          <bdi>{name}</bdi>
        </li>
      ))}
    </>
  );
}

import dayjs from "dayjs";
import relativeTime from "dayjs/plugin/relativeTime";
import { serverTime } from "../api/clock";
import { inZone, useZone } from "./zone";

dayjs.extend(relativeTime);

interface Props {
  at: string | null | undefined;
  /** What to say where there is none. */
  never?: string;
  /** Always the day and time, as in a history. */
  absolute?: boolean;
  /** Names the zone, where nothing around it does. */
  zoned?: boolean;
}

/** A moment in the reader's zone: how long ago below a day, else the day; all of it on hover. */
export function Moment({ at, never = "never", absolute = false, zoned = false }: Props) {
  const zone = useZone();
  if (!at) return <span className="muted">{never}</span>;
  const exact = inZone(new Date(at), zone);
  const now = dayjs(serverTime());
  const isRecent = Math.abs(now.diff(at, "hour")) < 24;
  return (
    <time dateTime={at} title={`${exact}, ${zone}`} className="figures">
      {absolute ? exact : isRecent ? dayjs(at).from(now) : exact.slice(0, "2027-01-31".length)}
      {zoned && ` (${zone})`}
    </time>
  );
}

/** A moment as the API writes it. */
const written = /(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))/;

/** A text that may name moments as the API writes them: each is shown in the reader's zone. */
export function WithMoments({ text = "" }: { text?: string }) {
  return text
    .split(written)
    .map((part, at) =>
      at % 2 === 1 && !Number.isNaN(Date.parse(part)) ? <Moment key={at} at={part} absolute zoned /> : part,
    );
}

/** The zone of the moments of a list, for its head. */
export function Zone() {
  const zone = useZone();
  return <span className="muted">({zone})</span>;
}

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
}

/** A moment in the reader's zone: how long ago below a day, else the day; all of it on hover. */
export function Moment({ at, never = "never", absolute = false }: Props) {
  const zone = useZone();
  if (!at) return <span className="muted">{never}</span>;
  const exact = inZone(new Date(at), zone);
  const now = dayjs(serverTime());
  const isRecent = Math.abs(now.diff(at, "hour")) < 24;
  return (
    <time dateTime={at} title={`${exact}, ${zone}`} className="figures">
      {absolute ? exact : isRecent ? dayjs(at).from(now) : exact.slice(0, "2027-01-31".length)}
    </time>
  );
}

/** The zone of the moments of a list, for its head. */
export function Zone() {
  const zone = useZone();
  return <span className="muted">({zone})</span>;
}

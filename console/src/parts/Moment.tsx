import dayjs from "dayjs";
import relativeTime from "dayjs/plugin/relativeTime";
import { serverTime } from "../api/clock";

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
  if (!at) return <span className="muted">{never}</span>;
  const moment = dayjs(at);
  const exact = moment.format("YYYY-MM-DD HH:mm:ss");
  const now = dayjs(serverTime());
  const isRecent = Math.abs(now.diff(moment, "hour")) < 24;
  return (
    <time dateTime={at} title={exact} className="figures">
      {absolute ? exact : isRecent ? moment.from(now) : moment.format("YYYY-MM-DD")}
    </time>
  );
}

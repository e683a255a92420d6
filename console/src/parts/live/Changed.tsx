import dayjs from "dayjs";
import { serverTime } from "../../api/clock";
import { Sentence } from "../events/EventSentence";
import { Moment } from "../Moment";
import { useRecent, type Event } from "./recent";
import classes from "./Changed.module.css";

interface Props {
  project: string;
  name: string;
}

const minute = 60_000;

function When({ event: { createdAt } }: { event: Event }) {
  return dayjs(serverTime()).diff(createdAt) < minute ? "just now" : <Moment at={createdAt} />;
}

/** In a row: that somebody else changed the feature, and who. */
export function Changed({ project, name }: Props) {
  const event = useRecent(project, name);
  if (!event) return null;
  return (
    <span className={`chip ${classes.changed}`}>
      changed by <bdi>{event.createdBy}</bdi> <When event={event} />
    </span>
  );
}

/** On the page of the feature: what somebody else did to it. */
export function ChangedHere({ project, name }: Props) {
  const event = useRecent(project, name);
  return (
    <div role="status">
      {event && (
        <p className={classes.here}>
          <Sentence event={event} /> <When event={event} />.
        </p>
      )}
    </div>
  );
}

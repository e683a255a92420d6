import type { Schemas } from "../../api/request";
import { Moment } from "../Moment";
import classes from "./StateChip.module.css";
import type { State } from "./requests";

const looks: Partial<Record<string, string>> = {
  "In review": "warning",
  Approved: "good",
  Applied: "good",
  Rejected: "danger",
};

interface Props {
  state: State;
  schedule?: Schemas["ChangeRequestSchedule"];
}

/** In which state a change request is, and what became of its schedule. */
export function StateChip({ state, schedule }: Props) {
  const isStuck = schedule && schedule.status !== "pending";
  return (
    <span className={classes.state}>
      <span className={`chip ${isStuck ? "danger" : (looks[state] ?? "")}`}>
        {isStuck ? `${state}, ${schedule.status}` : state}
      </span>
      {schedule && !isStuck && (
        <span>
          for <Moment at={schedule.scheduledAt} absolute />
        </span>
      )}
    </span>
  );
}

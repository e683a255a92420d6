import { useExactRead, useMe } from "../../api/queries";
import { number } from "../../words/counts";
import { searchRequest } from "./search";
import classes from "./WaitingCount.module.css";

const minute = 60_000;

/** How many change requests of any project wait for the person, of those that ask the person for an approval. */
export function WaitingCount() {
  const me = useMe();
  const waiting = searchRequest({ isOpen: true, askedOf: me?.user.id, isActionable: true, limit: 1 });
  const count = useExactRead(waiting, { enabled: me !== undefined, staleTime: minute }).data?.total ?? 0;
  if (count === 0) return null;
  return (
    <span className={classes.count}>
      {number(count)}
      <span className="visually-hidden"> waiting for you</span>
    </span>
  );
}

import { useMe, useRead } from "../../api/queries";
import { number } from "../../words/counts";
import { searchRequest } from "./waiting";
import classes from "./WaitingCount.module.css";

const minute = 60_000;
const most = 50;

/** How many change requests of any project are in review and ask the person for an approval. */
export function WaitingCount() {
  const me = useMe();
  const read = useRead(searchRequest({ isOpen: true, askedOf: me?.user.id, limit: most }), {
    enabled: me !== undefined,
    staleTime: minute,
  });
  const count = (read.data?.changeRequests ?? []).filter(({ state }) => state === "In review").length;
  if (read.isPlaceholderData || count === 0) return null;
  return (
    <span className={classes.count}>
      {number(count)}
      <span className="visually-hidden"> waiting for you</span>
    </span>
  );
}

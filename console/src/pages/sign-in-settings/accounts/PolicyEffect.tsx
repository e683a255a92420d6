import { useState } from "react";
import { serverTime } from "../../../api/clock";
import { Moment } from "../../../parts/Moment";
import { nameOf } from "../../../parts/people";
import { counted } from "../../../words/counts";
import { expiry, shortened, type Effect } from "./accountPolicy";

/** Whom and what a policy concerns that is not saved yet. */
export function PolicyEffect({ effect }: { effect: Effect }) {
  const [now] = useState(() => serverTime());
  const tokens = shortened(effect);
  const { due, names, later, rest } = expiry(effect.expiring, now);
  if (tokens.length === 0 && effect.expiring.total === 0)
    return <p>No token ends earlier, and nobody is deactivated.</p>;
  return (
    <ul>
      {tokens.map((line) => (
        <li key={line}>{line} A later policy does not lengthen them.</li>
      ))}
      {due && (
        <li className="breaks">
          {due} will be deactivated within an hour: <bdi>{names.join(", ")}</bdi>. The last administrator who can act
          stays active.
        </li>
      )}
      {later.length > 0 && (
        <li className="breaks">
          Next, unless they use their account before:{" "}
          {later.map((user, at) => (
            <span key={user.id}>
              {at > 0 && ", "}
              <bdi>{nameOf(user)}</bdi> (<Moment at={user.deactivatesAt} />)
            </span>
          ))}
          {rest > 0 && `, and ${counted(rest, "other user")}`}.
        </li>
      )}
    </ul>
  );
}

import { useExactRead, useWhyNot } from "../api/queries";
import { number } from "../words/counts";
import { readAccessRequests } from "./accessRequests";

const minute = 60_000;

/** How many people without an account wait for an administrator. */
export function AccessRequestCount() {
  const isAllowed = useWhyNot()(readAccessRequests) === undefined;
  const { data } = useExactRead(readAccessRequests, { enabled: isAllowed, staleTime: minute });
  const count = data?.userAccessRequests.length ?? 0;
  if (count === 0) return null;
  return (
    <span className="chip">
      {number(count)}
      <span className="visually-hidden"> waiting</span>
    </span>
  );
}

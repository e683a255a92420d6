import type { Schemas } from "../../api/request";
import type { Column } from "../area/Listing";
import { Moment } from "../Moment";
import { signInMethods } from "../signInMethods";
import { browserOf } from "./browser";

export type Session = Schemas["Session"];

/** What identifies a session to a person: its browser and where it is. */
export const nameOfSession = ({ userAgent, address }: Session) =>
  address ? `${browserOf(userAgent)} at ${address}` : browserOf(userAgent);

/** The columns of lists of sessions. */
export const sessionColumns: readonly Column<Session>[] = [
  {
    head: "Browser",
    cell: ({ userAgent, current }) => (
      <>
        <bdi className="breaks" title={userAgent ?? undefined}>
          {browserOf(userAgent)}
        </bdi>
        {current && <span className="chip">this one</span>}
      </>
    ),
  },
  { head: "From", cell: ({ address }) => <span className="figures breaks">{address ?? "–"}</span> },
  { head: "By", wide: true, cell: ({ method }) => (method ? signInMethods[method as Schemas["SignInMethod"]] : "–") },
  { head: "Last used", cell: ({ seenAt }) => <Moment at={seenAt} /> },
  { head: "Began", wide: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { head: "Ends", wide: true, cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
];

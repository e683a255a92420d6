import type { Planned, Schemas } from "../../api/request";
import type { Column } from "../area/Listing";
import { Moment } from "../Moment";
import { EndSession } from "./EndSession";
import { signInMethods } from "../signInMethods";
import { browserOf } from "./browser";

export type Session = Schemas["Session"];

/** What identifies a session to a person: its browser and where it is. */
export const nameOfSession = ({ userAgent, address }: Session) =>
  address ? `${browserOf(userAgent)} at ${address}` : browserOf(userAgent);

interface Ending {
  /** The session to sign out, in words. */
  named: (session: Session) => string;
  request: (session: Session) => Planned;
  consequence: (session: Session) => string;
}

/** The columns of lists of sessions, with how one is ended. */
export const sessionColumns = ({ named, request, consequence }: Ending): Column<Session>[] => [
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
  { head: "Address", cell: ({ address }) => <span className="figures breaks">{address ?? "–"}</span> },
  {
    head: "Method",
    wide: true,
    cell: ({ method }) => (method ? signInMethods[method as Schemas["SignInMethod"]] : "–"),
  },
  { head: "Last used", cell: ({ seenAt }) => <Moment at={seenAt} /> },
  { head: "Signed in", wide: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { head: "Expires", wide: true, cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
  {
    head: <span className="visually-hidden">End</span>,
    cell: (session) =>
      !session.current && (
        <EndSession
          compact
          title={`Sign out ${named(session)}`}
          request={request(session)}
          consequence={consequence(session)}
          done="The browser is signed out."
        >
          End …<span className="visually-hidden"> {named(session)}</span>
        </EndSession>
      ),
  },
];

import type { Schemas } from "../../api/request";
import type { ChangeRequest } from "../../parts/change-requests/requests";

export interface Happening {
  at: string;
  person?: Schemas["ChangeRequestUser"];
  said: string;
  comment?: string;
}

/** What entering a state is called; approvals and rejections tell more themselves. */
const entered: Record<string, string> = {
  "In review": "It was sent to review",
  Approved: "It had all approvals",
  Scheduled: "It was scheduled",
  Applied: "It was applied",
  Cancelled: "It was cancelled",
};

/** What happened to a change request, in the order of time. */
export function happenings(request: ChangeRequest): Happening[] {
  const { createdAt, createdBy, stateTimestamps, approvals, rejections, comments } = request;
  const found: Happening[] = [
    { at: createdAt, person: createdBy, said: "began the draft" },
    ...Object.entries(stateTimestamps).flatMap(([state, at]) => (entered[state] ? [{ at, said: entered[state] }] : [])),
    ...approvals.map(({ createdBy: person, createdAt: at }) => ({ at, person, said: "approved it" })),
    ...rejections.map(({ createdBy: person, createdAt: at }) => ({ at, person, said: "rejected it" })),
    ...comments.map(({ createdBy: person, createdAt: at, text }) => ({ at, person, said: "commented", comment: text })),
  ];
  return found.sort((one, other) => one.at.localeCompare(other.at));
}

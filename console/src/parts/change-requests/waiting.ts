import { refusalFor, type Held } from "../../api/permissions";
import { request, type Schemas } from "../../api/request";
import { inEnvironment } from "./requests";

export type Found = Schemas["FoundChangeRequest"];

interface Wanted {
  isOpen: boolean;
  /** Ids of users. */
  author?: number;
  askedOf?: number;
  offset?: number;
  limit: number;
}

const by = (user: number | undefined) => (user === undefined ? undefined : `IS:${user}`);

/** Change requests of all projects, newest first. */
export const searchRequest = ({ isOpen, author, askedOf, offset = 0, limit }: Wanted) =>
  request("get", "/api/admin/search/change-requests", {
    params: {
      query: {
        state: isOpen ? "IS:open" : "IS:closed",
        createdBy: by(author),
        requestedApproverId: by(askedOf),
        offset: String(offset),
        limit: String(limit),
      },
    },
  });

/** As many as are looked at for those that somebody may decide about: the server gives no more at once. */
export const mostSearched = 1000;

const needing = (permission: string) =>
  inEnvironment(request("get", "/api/admin/search/change-requests"), permission).operation;
const approving = needing("APPROVE_CHANGE_REQUEST");
const applying = needing("APPLY_CHANGE_REQUEST");

/** Whether somebody with these permissions may bring a change request further: it waits for them, or for others like them. */
export function mayDecide(
  {
    state,
    schedule,
    createdBy,
    project,
    environment,
  }: Pick<Found, "state" | "schedule" | "createdBy" | "project" | "environment">,
  person: number,
  held: Held,
): boolean {
  const place = { project, environment };
  const isAdmin = held.some(({ permission }) => permission === "ADMIN");
  switch (state) {
    case "In review":
      return (createdBy.id !== person || isAdmin) && refusalFor(held, approving, place) === undefined;
    case "Approved":
      return refusalFor(held, applying, place) === undefined;
    case "Scheduled":
      return schedule?.status !== "pending" && refusalFor(held, applying, place) === undefined;
    default:
      return false;
  }
}

import { request } from "../../api/request";

interface Wanted {
  isOpen: boolean;
  /** Ids of users. */
  author?: number;
  askedOf?: number;
  /** Whether only those are wanted that wait for the person. */
  isActionable?: boolean;
  offset?: number;
  limit: number;
}

const by = (user: number | undefined) => (user === undefined ? undefined : `IS:${user}`);

/** Change requests of all projects, newest first. */
export const searchRequest = ({ isOpen, author, askedOf, isActionable, offset = 0, limit }: Wanted) =>
  request("get", "/api/admin/search/change-requests", {
    params: {
      query: {
        state: isOpen ? "IS:open" : "IS:closed",
        createdBy: by(author),
        requestedApproverId: by(askedOf),
        actionable: isActionable ? "true" : undefined,
        offset: String(offset),
        limit: String(limit),
      },
    },
  });

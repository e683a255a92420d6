import type { Schemas } from "../../api/request";

const instance = -1337;

/** The name of who made a change: that of the server itself, where no person or token did. */
export const actorOf = ({ createdBy, createdByUserId }: Pick<Schemas["Event"], "createdBy" | "createdByUserId">) =>
  createdByUserId === instance ? "Flagstone" : createdBy;

import { Refusal } from "../../api/refusal";

/** Whether a refusal is about the link, so that nothing typed would help. */
export const isDeadLink = (error: unknown) =>
  error instanceof Refusal &&
  (error.body.name === "InvalidTokenError" || !!error.body.details?.some(({ path }) => isOfLink(path)));

const isOfLink = (path: string | undefined) =>
  path === "/path/token" || path === "/query/token" || path === "/body/token";

/** What the server says against one field. */
export { complaintAt as reasonAgainst } from "../../parts/forms/complaints";

/** Whether everything that was refused stands beside a field already. */
export const isSaidBeside = (error: unknown, fields: readonly string[]) =>
  error instanceof Refusal &&
  !!error.body.details?.length &&
  error.body.details.every(({ path }) => fields.some((field) => path === `/body/${field}`));

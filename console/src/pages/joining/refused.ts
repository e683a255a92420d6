import { Refusal } from "../../api/refusal";

/** Whether a refusal is about the link, so that nothing typed would help. */
export const isDeadLink = (error: unknown) =>
  error instanceof Refusal &&
  (error.body.name === "InvalidTokenError" || !!error.body.details?.some(({ path }) => isOfLink(path)));

const isOfLink = (path: string | undefined) =>
  path === "/path/token" || path === "/query/token" || path === "/body/token";

/** What the server says against one field, for people: without the place that it names. */
export function reasonAgainst(error: unknown, field: string): string | undefined {
  if (!(error instanceof Refusal)) return undefined;
  const place = `/body/${field}`;
  const found = error.body.details?.filter(({ path }) => path === place) ?? [];
  if (found.length === 0) return undefined;
  return found.map(({ message }) => message.replace(place, "").replace(/^: /, "").trim()).join(" ");
}

/** Whether everything that was refused stands beside a field already. */
export const isSaidBeside = (error: unknown, fields: readonly string[]) =>
  error instanceof Refusal &&
  !!error.body.details?.length &&
  error.body.details.every(({ path }) => fields.some((field) => path === `/body/${field}`));

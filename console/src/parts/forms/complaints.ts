import { besideField, pathOf } from "../../words/rules";
import { Refusal } from "../../api/refusal";

/** What a refusal says of one place of the body. */
export interface Complaint {
  /** Below `/body/`. */
  path: string;
  message: string;
}

/** Fields whose values travel in the path. */
const inPath: Record<string, string> = { "/path/providerId": "/body/id" };

/** What a refusal says of single places; one about a name that is taken says so without naming the place. */
export function complaintsOf(error: unknown): Complaint[] {
  if (!(error instanceof Refusal)) return [];
  const { name, message, details } = error.body;
  const found = details ?? [
    { message, path: pathOf(message) ?? (isAboutName(name) ? placeOfName(message) : undefined) },
  ];
  return found.flatMap(({ path: told = "", message }) => {
    const path = inPath[told] ?? told;
    return path.startsWith("/body/") ? [{ path: path.slice("/body/".length), message }] : [];
  });
}

const isAboutName = (name: string) => name === "NameExistsError" || name === "PatternError";
const placeOfName = (message: string) =>
  /^The project id\b|^There is a login provider with the id\b/.test(message) ? "/body/id" : "/body/name";

const isIn = (path: string, field: string) => path === field || path.startsWith(`${field}/`);

/** What a refusal says of the field with this place in the body, or of what is in it. */
export const complaintAt = (error: unknown, field: string): string | undefined =>
  complaintsOf(error)
    .filter(({ path }) => isIn(path, field))
    .map(({ message }) => besideField(message, `/body/${field}`))
    .join(" ") || undefined;

/** What a refusal says of single properties, by their names. */
export const complaints = (error: unknown): Record<string, string> =>
  Object.fromEntries(
    complaintsOf(error).map(({ path, message }) => [
      path.split("/").at(-1) ?? "",
      besideField(message, `/body/${path}`),
    ]),
  );

/** Whether all that was refused stands beside one of these fields. */
export function isAllBeside(error: unknown, fields: ReadonlySet<string>): boolean {
  const found = complaintsOf(error);
  return found.length > 0 && found.every(({ path }) => [...fields].some((field) => isIn(path, field)));
}

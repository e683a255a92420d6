import { createPatch } from "rfc6902";

/** One line of what an event changed. */
export interface Line {
  path: string;
  before: string;
  after: string;
}

const shown = (value: unknown) =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

function at(value: unknown, path: string): unknown {
  return path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (inner, part) =>
        typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[part] : undefined,
      value,
    );
}

/** What differs between what was and what is; everything where there was nothing. */
export function changes(before: unknown, after: unknown): Line[] {
  const [from, to] = [before ?? {}, after ?? {}];
  return createPatch(from, to).map((operation) => {
    const { path } = operation;
    const isNew = operation.op === "add";
    return {
      path: path.slice(1),
      before: isNew ? "" : shown(at(from, path)),
      after: "value" in operation ? shown(operation.value) : "",
    };
  });
}

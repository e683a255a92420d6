/** The filter language of the searches: `IS:a`, `IS_ANY_OF:a,b`, `INCLUDE_ALL_OF:simple:x`. */
export interface Filter {
  operator: string;
  values: string[];
}

export const choosing = ["IS_ANY_OF", "IS_NONE_OF"] as const;
export const including = ["INCLUDE_ANY_OF", "INCLUDE_ALL_OF", "EXCLUDE_IF_ANY_OF", "EXCLUDE_ALL"] as const;

const single: Record<string, string> = {
  IS: "IS_ANY_OF",
  IS_NOT: "IS_NONE_OF",
  INCLUDE: "INCLUDE_ANY_OF",
  DO_NOT_INCLUDE: "EXCLUDE_IF_ANY_OF",
};

export function parseFilter(text: string | undefined): Filter | undefined {
  const colon = text?.indexOf(":") ?? -1;
  if (text === undefined || colon < 1) return undefined;
  const operator = text.slice(0, colon);
  const values = text
    .slice(colon + 1)
    .split(",")
    .map((value) => value.trim())
    .filter((value) => value !== "");
  return { operator: single[operator] ?? operator, values };
}

/** A filter without values is none. */
export function formatFilter({ operator, values }: Filter): string | undefined {
  return values.length ? `${operator}:${values.join(",")}` : undefined;
}

const words: Record<string, string> = {
  IS_ANY_OF: "is",
  IS_NONE_OF: "is not",
  INCLUDE_ANY_OF: "has",
  INCLUDE_ALL_OF: "has all of",
  EXCLUDE_IF_ANY_OF: "has none of",
  EXCLUDE_ALL: "lacks one of",
  IS_ON_OR_AFTER: "since",
  IS_BEFORE: "before",
};

export const operatorInWords = (operator: string) => words[operator] ?? operator;

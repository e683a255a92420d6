export type Plain = Record<string, unknown>;

/** One place where three versions of a thing are not the same. A list counts as one value. */
export interface Difference {
  path: string;
  base: unknown;
  theirs: unknown;
  mine: unknown;
  /** Both changed it, and not alike: somebody must choose. */
  contested: boolean;
}

export type Choice = "theirs" | "mine";

const isPlain = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function same(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => same(item, other[at]));
  }
  if (!isPlain(one) || !isPlain(other)) return false;
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((key) => same(one[key], other[key]));
}

export function differences(base: Plain, theirs: Plain, mine: Plain, above = ""): Difference[] {
  const keys = [...new Set([...Object.keys(base), ...Object.keys(theirs), ...Object.keys(mine)])];
  return keys.flatMap((key) => {
    const path = `${above}/${key}`;
    const [b, t, m] = [base[key], theirs[key], mine[key]];
    if (isPlain(b) && isPlain(t) && isPlain(m)) return differences(b, t, m, path);
    if (same(b, t) && same(b, m)) return [];
    return [{ path, base: b, theirs: t, mine: m, contested: !same(b, t) && !same(b, m) && !same(t, m) }];
  });
}

/** Where one side changed, that side; where both did, as chosen. */
export function merged(base: Plain, theirs: Plain, mine: Plain, choices: Record<string, Choice>, above = ""): Plain {
  const keys = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])];
  const entries = keys.map((key): [string, unknown] => {
    const path = `${above}/${key}`;
    const [b, t, m] = [base[key], theirs[key], mine[key]];
    if (isPlain(b) && isPlain(t) && isPlain(m)) return [key, merged(b, t, m, choices, path)];
    if (same(b, m)) return [key, t];
    if (same(b, t)) return [key, m];
    return [key, choices[path] === "theirs" ? t : m];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Filters of an address: names and values are those of the API, each a text or several. */
export type Search = Record<string, string | string[] | undefined>;

export function parseSearch(text: string): Search {
  const found: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const before = found[name];
    found[name] = before === undefined ? value : [before, value].flat();
  }
  return found;
}

export function stringifySearch(search: Record<string, unknown>): string {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const one of [value as string | string[] | undefined].flat())
      if (one !== undefined && one !== null && one !== "") written.append(name, one);
  }
  return written.size ? `?${written}` : "";
}

export const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
export const several = (value: string | string[] | undefined) => (typeof value === "string" ? [value] : (value ?? []));

/** Where somebody goes after signing in: a page of the console, or its first one. Never anywhere else. */
export function safeDestination(to: string | undefined, base: string): string {
  if (!to) return "/";
  try {
    const home = new URL(base);
    const target = new URL(to, home);
    const isBelow = target.origin === home.origin && target.pathname.startsWith(home.pathname);
    return isBelow ? `/${target.pathname.slice(home.pathname.length)}${target.search}` : "/";
  } catch {
    return "/";
  }
}

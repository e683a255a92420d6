interface Placed {
  name: string;
  sortOrder: number;
}

/** Positions by name after one moved a place, all of them new so that none are the same; nothing at the ends. */
export function moved(placed: readonly Placed[], name: string, by: 1 | -1): Record<string, number> | undefined {
  const names = placed.map((one) => one.name);
  const at = names.indexOf(name);
  const to = at + by;
  if (at < 0 || to < 0 || to >= names.length) return undefined;
  [names[at], names[to]] = [names[to]!, names[at]!];
  return Object.fromEntries(names.map((one, position) => [one, position + 1]));
}

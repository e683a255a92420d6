/** The ids in the order in which one of them has changed places with its neighbour; nothing where it has none there. */
export function swapped(ids: readonly string[], id: string, by: 1 | -1): string[] | undefined {
  const at = ids.indexOf(id);
  const other = ids[at + by];
  if (at < 0 || other === undefined) return undefined;
  return ids.map((one, index) => (index === at ? other : index === at + by ? id : one));
}

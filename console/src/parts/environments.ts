import { several, type Search } from "../api/address";
import { isProduction } from "./EnvironmentName";

interface Environment {
  name: string;
  type: string;
}

/** As many environments as fit beside each other. */
export const mostColumns = 6;

/** The environments that the address names, or the first ones, with those of production among them. */
export function columnsOf<E extends Environment>(
  usable: readonly E[],
  chosen: Search[string],
  most = mostColumns,
): E[] {
  const named = several(chosen).flatMap((one) => one.split(","));
  const found = usable.filter(({ name }) => named.includes(name));
  if (found.length > 0 || usable.length <= most) return found.length > 0 ? found : [...usable];
  const inOrder = [...usable].sort((one, other) => Number(isProduction(other.type)) - Number(isProduction(one.type)));
  const kept = new Set(inOrder.slice(0, most));
  return usable.filter((one) => kept.has(one));
}

/** Production at the end, where it is pinned. */
export const productionLast = <E extends Environment>(environments: readonly E[]): E[] =>
  [...environments].sort((one, other) => Number(isProduction(one.type)) - Number(isProduction(other.type)));

import { swapped } from "../../../parts/order";

/** Positions by name after one moved a place, all of them new so that none are the same; nothing at the ends. */
export function moved(
  placed: readonly { name: string }[],
  name: string,
  by: 1 | -1,
): Record<string, number> | undefined {
  const names = placed.map((one) => one.name);
  const order = swapped(names, name, by);
  return order && Object.fromEntries(order.map((one, position) => [one, position + 1]));
}

import { MultiSelect } from "@mantine/core";
import { several, type Search } from "../../api/address";
import { isProduction } from "../../parts/EnvironmentName";

interface Environment {
  name: string;
  type: string;
}

/** As many environments as fit beside each other. */
export const mostColumns = 6;

/** The environments that the address names, or the first ones, with those of production among them. */
export function columnsOf<E extends Environment>(usable: readonly E[], chosen: Search[string]): E[] {
  const named = several(chosen).flatMap((one) => one.split(","));
  const found = usable.filter(({ name }) => named.includes(name));
  if (found.length > 0 || usable.length <= mostColumns) return found.length > 0 ? found : [...usable];
  const inOrder = [...usable].sort((one, other) => Number(isProduction(other.type)) - Number(isProduction(one.type)));
  const kept = new Set(inOrder.slice(0, mostColumns));
  return usable.filter((one) => kept.has(one));
}

interface Props {
  usable: readonly Environment[];
  shown: readonly Environment[];
  choose: (changed: Search) => void;
}

/** Which environments have a column, where there are more than fit. */
export function Columns({ usable, shown, choose }: Props) {
  return (
    <MultiSelect
      size="xs"
      label={`Environments in the list: ${shown.length} of ${usable.length}`}
      searchable
      data={usable.map(({ name }) => name)}
      value={shown.map(({ name }) => name)}
      onChange={(names) => choose({ columns: names.join(",") || undefined })}
    />
  );
}

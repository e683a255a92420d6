import { Select } from "@mantine/core";
import type { Schemas } from "../../api/request";

type Kind = Schemas["StrategyType"];

interface Props {
  kinds: readonly Kind[];
  /** The name of the one that is chosen: offered even where it is deprecated. */
  value: string;
  onChange: (kind: Kind) => void;
}

/** By which rule a strategy decides. */
export const KindSelect = ({ kinds, value, onChange }: Props) => (
  <Select
    label="Strategy type"
    // Of one line before it is known.
    description={kinds.length ? kinds.find(({ name }) => name === value)?.description : "\u00a0"}
    allowDeselect={false}
    data={kinds
      .filter(({ deprecated, name }) => !deprecated || name === value)
      .map(({ name, title }) => ({ value: name, label: title ?? name }))}
    value={value}
    onChange={(name) => {
      const chosen = kinds.find((one) => one.name === name);
      if (chosen) onChange(chosen);
    }}
  />
);

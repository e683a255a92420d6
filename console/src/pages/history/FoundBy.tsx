import { SegmentedControl } from "@mantine/core";
import { some } from "../../parts/strategies/audience";
import type { By, Found } from "./find";
import { number } from "../../words/counts";

interface Props {
  found: Found;
  choose: (by: By) => void;
}

/** Both ways in which a text was found, with what each has. */
export function FoundBy({ found, choose }: Props) {
  const { by, names, counts } = found;
  const shown = (count: number | undefined) => (count === undefined ? "…" : number(count));
  const flags = names.length ? `Events of ${some(names, 2)}` : "Events of flags with this name";
  return (
    <div className="scrolls">
      <SegmentedControl
        size="xs"
        aria-label="Where the text is looked for"
        data={[
          { value: "name", label: `${flags}: ${shown(counts.name)}` },
          { value: "data", label: `Text in what changed: ${shown(counts.data)}` },
        ]}
        value={by}
        onChange={(chosen) => choose(chosen)}
      />
    </div>
  );
}

import { Button, Group } from "@mantine/core";
import { useState } from "react";
import type { Search } from "../../api/address";
import { saveAsCsv } from "../../parts/csv";
import { tellFailure } from "../../parts/notices";
import { Turning } from "../../parts/Turning";
import { everyFound } from "./every";
import { rowsOf } from "./exportList";
import { pageSize, type searchOf } from "./query";
import classes from "./Features.module.css";
import { number } from "../../words/counts";

interface Props {
  query: ReturnType<typeof searchOf>;
  count: number;
  total: number;
  environments: readonly { name: string }[];
  go: (changed: Search) => void;
}

/** Which part of the list is shown, the other parts, and all of it as a file. */
export function Foot({ query, count, total, environments, go }: Props) {
  const offset = Number(query.offset);
  const [isWriting, setWriting] = useState(false);

  async function save() {
    setWriting(true);
    try {
      const names = environments.map(({ name }) => name);
      saveAsCsv("feature-flags", rowsOf(await everyFound(query), names));
    } catch (failure) {
      tellFailure(failure);
    } finally {
      setWriting(false);
    }
  }

  return (
    <div className={classes.foot}>
      <span role="status" className="muted figures">
        {number(offset + 1)}–{number(offset + count)} of {number(total)}
      </span>
      <Group gap="sm">
        <Button variant="default" size="compact-sm" loading={isWriting} onClick={() => void save()}>
          Save as CSV
        </Button>
        <Turning {...{ offset, count, total, pageSize }} turn={(to) => go({ offset: String(to) })} />
      </Group>
    </div>
  );
}

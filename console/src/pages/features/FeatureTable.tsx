import { Checkbox, UnstyledButton } from "@mantine/core";
import { idOf } from "../../parts/bulk/tasks";
import { EnvironmentName, isProduction } from "../../parts/EnvironmentName";
import { Rows } from "../../parts/Rows";
import { columns as named, type Column } from "./Columns";
import { Cells, pinOf } from "./Cells";
import classes from "./Features.module.css";
import type { Found } from "./query";

interface Props {
  features: Found[];
  environments: { name: string; type: string }[];
  columns: readonly Column[];
  sortBy: string;
  sortOrder: "asc" | "desc";
  sort: (by: string) => void;
  selected: ReadonlyMap<string, Found>;
  select: (features: readonly Found[], on: boolean) => void;
  current: number;
  dimmed: boolean;
}

const sorted: readonly Column[] = ["project", "type", "createdAt", "lastSeenAt"];

/** Flags, one a line; on a narrow screen, a card each. */
export function FeatureTable(props: Props) {
  const { features, environments, columns, selected, select, current, dimmed } = props;
  // What is in the archive is changed there.
  const selectable = features.filter(({ archived }) => !archived);
  const all = selectable.length > 0 && selectable.every((feature) => selected.has(idOf(feature)));
  const sortable = (by: string, label: React.ReactNode, looks: React.ThHTMLAttributes<HTMLTableCellElement>) => (
    <th
      key={by}
      {...looks}
      aria-sort={props.sortBy === by ? (props.sortOrder === "asc" ? "ascending" : "descending") : undefined}
    >
      <UnstyledButton className={classes.sort} onClick={() => props.sort(by)}>
        {label}
        <span aria-hidden>{props.sortBy === by ? (props.sortOrder === "asc" ? " ↑" : " ↓") : ""}</span>
      </UnstyledButton>
    </th>
  );
  return (
    <Rows
      label="Feature flags"
      className={classes.rows}
      rowHeight={36}
      count={features.length}
      columns={2 + columns.length + environments.length}
      keyOf={(index) => idOf(features[index]!)}
      current={current}
      dimmed={dimmed}
      row={(index) => {
        const feature = features[index]!;
        const isSelected = selected.has(idOf(feature));
        return <Cells {...{ feature, environments, columns, isSelected, select }} />;
      }}
      head={
        <>
          <th>
            <Checkbox
              size="xs"
              aria-label="Select all on this page"
              checked={all}
              disabled={selectable.length === 0}
              onChange={(event) => select(selectable, event.currentTarget.checked)}
            />
          </th>
          {sortable("name", "Name", { className: classes.name })}
          {columns.map((column) =>
            sorted.includes(column) ? (
              sortable(column, named[column], { className: classes.wide })
            ) : (
              <th key={column} className={classes.wide}>
                {named[column]}
              </th>
            ),
          )}
          {environments.map(({ name, type }, at) =>
            sortable(`environment:${name}`, <EnvironmentName name={name} type={type} />, {
              className: `${classes.heading} ${isProduction(type) ? classes.pinned : ""}`,
              style: pinOf(environments, at),
            }),
          )}
        </>
      }
    />
  );
}

import { useState, type ReactNode } from "react";
import { useKeys } from "../keys";
import { Rows } from "../Rows";
import classes from "./Area.module.css";
import { Unread } from "../Unread";

export interface Column<T> {
  head: ReactNode;
  /** Names the cells of cards where the head is no text. */
  label?: string;
  cell: (item: T) => ReactNode;
  /** Left out where the screen is narrow. */
  wide?: boolean;
}

interface Props<T> {
  label: string;
  read: { error: unknown; data: unknown; refetch: () => unknown; isPlaceholderData?: boolean };
  items: readonly T[];
  keyOf: (item: T) => string;
  columns: readonly Column<T>[];
  /** Why there is nothing, and what to do about it. */
  empty: ReactNode;
  open?: (item: T) => void;
}

/** A list in all its states, whose rows are walked with `j` and `k` and opened with Enter. */
export function Listing<T>({ label, read, items, keyOf, columns, empty, open }: Props<T>) {
  const [current, setCurrent] = useState(-1);
  const move = (by: number) => setCurrent((at) => Math.max(0, Math.min(items.length - 1, at + by)));
  const here = items[current];
  useKeys({
    j: { does: "Next row", run: () => move(1) },
    k: { does: "Previous row", run: () => move(-1) },
    ...(open && { Enter: { does: "Open the row", run: () => here !== undefined && open(here) } }),
  });
  if (!read.data) return <Unread read={read} />;
  if (items.length === 0) return <div className="card">{empty}</div>;
  const className = (wide: boolean | undefined) => (wide ? classes.wide : undefined);
  return (
    <Rows
      label={label}
      asCards
      count={items.length}
      columns={columns.length}
      current={current}
      dimmed={read.isPlaceholderData}
      keyOf={(index) => keyOf(items[index]!)}
      head={columns.map(({ head, wide }, at) => (
        <th key={at} className={className(wide)}>
          {head}
        </th>
      ))}
      row={(index) =>
        columns.map(({ head, label, cell, wide }, at) => (
          <td
            key={at}
            className={at === 0 ? classes.first : className(wide)}
            data-label={at > 0 ? (label ?? (typeof head === "string" ? head : undefined)) : undefined}
          >
            {cell(items[index]!)}
          </td>
        ))
      }
    />
  );
}

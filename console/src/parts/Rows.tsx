import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, type ReactNode } from "react";
import classes from "./Rows.module.css";

interface Props {
  /** What the table holds, for those who do not see it. */
  label: string;
  head: ReactNode;
  count: number;
  columns: number;
  row: (index: number) => ReactNode;
  keyOf: (index: number) => string;
  /** The row that the keys are on. */
  current?: number;
  /** Old rows while new ones come. */
  dimmed?: boolean;
  rowHeight?: number;
  className?: string;
  /** On a narrow screen each row is a card, whose cells are named by their `data-label`. */
  asCards?: boolean;
}

/** A table of which only what the screen shows is drawn. */
export function Rows({
  label,
  head,
  count,
  columns,
  row,
  keyOf,
  current,
  dimmed,
  rowHeight = 44,
  className = "",
  asCards,
}: Props) {
  const viewport = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing here is memoized by a compiler
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    getItemKey: keyOf,
    overscan: 6,
  });
  useEffect(() => {
    if (current !== undefined && current >= 0) virtual.scrollToIndex(current);
  }, [current, virtual]);
  const items = virtual.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div
      ref={viewport}
      className={`${classes.viewport} ${className}`}
      tabIndex={0}
      role="region"
      aria-label={label}
      data-dimmed={dimmed || undefined}
    >
      <table className={`${classes.table} ${asCards ? "cards" : ""}`} aria-rowcount={count + 1}>
        <thead>
          <tr aria-rowindex={1}>{head}</tr>
        </thead>
        <tbody>
          {above > 0 && <Gap height={above} columns={columns} />}
          {items.map(({ index, key }) => (
            <tr
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              aria-rowindex={index + 2}
              data-current={index === current || undefined}
              className={classes.row}
            >
              {row(index)}
            </tr>
          ))}
          {below > 0 && <Gap height={below} columns={columns} />}
        </tbody>
      </table>
    </div>
  );
}

function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  );
}

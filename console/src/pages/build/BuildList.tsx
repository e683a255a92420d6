import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import type { Planned } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAddress } from "../../parts/address";
import { Area } from "../../parts/area/Area";
import { Listing, type Column } from "../../parts/area/Listing";
import { SearchField, holds } from "../../parts/area/SearchField";
import { useKeys } from "../../parts/keys";

const tabs = [
  { label: "Segments", to: "/build/segments" },
  { label: "Context fields", to: "/build/context" },
  { label: "Tags", to: "/build/tags" },
  { label: "Flag types", to: "/build/types" },
  { label: "Strategy types", to: "/build/strategies" },
  { label: "Environments", to: "/build/environments" },
];

interface Props<T> {
  title: string;
  /** What one of them is called. */
  one: string;
  read: Parameters<typeof Listing<T>>[0]["read"];
  items: readonly T[];
  keyOf: (item: T) => string;
  /** What a search looks at. */
  texts: (item: T) => (string | null | undefined)[];
  columns: readonly Column<T>[];
  /** Makes one; absent where the list is closed. */
  create?: Planned;
  empty: string;
  filters?: ReactNode;
  isOpened?: boolean;
  /** Drawers over the list. */
  children?: ReactNode;
}

/** One of the lists that features are built of: `?open=` is what is being edited, `?new` what is being made. */
export function BuildList<T>(props: Props<T>) {
  const { title, one, read, items, keyOf, texts, columns, create, empty, filters, isOpened = true, children } = props;
  const { get, change } = useAddress();
  const fitting = items.filter((item) => holds(get("query"), ...texts(item)));
  const make = () => change({ new: "true" });
  useKeys(create ? { n: { does: `New ${one}`, run: make } } : {});
  return (
    <Area
      title={title}
      tabs={tabs}
      fills
      action={
        create && (
          <ActionButton request={create} onClick={make}>
            New {one}
          </ActionButton>
        )
      }
    >
      <Group gap="sm" role="search" aria-label={title}>
        <SearchField />
        {filters}
      </Group>
      <Listing
        label={title}
        read={read}
        items={fitting}
        keyOf={keyOf}
        columns={columns}
        open={isOpened ? (item) => change({ open: keyOf(item) }) : undefined}
        empty={get("query") && items.length > 0 ? `No ${one} fits what is searched for.` : empty}
      />
      {children}
    </Area>
  );
}

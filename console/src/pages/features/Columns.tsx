import { Button, Checkbox, MultiSelect, Popover, Stack } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useMemo } from "react";
import type { Search } from "../../api/address";
import { useKept } from "../../parts/kept";

interface Environment {
  name: string;
  type: string;
}

/** What a list can show of each flag besides its name and its switches. */
export const columns = {
  project: "Project",
  type: "Type",
  lifecycle: "Stage",
  tags: "Tags",
  createdAt: "Created",
  createdBy: "Created by",
  lastSeenAt: "Seen",
} as const;

export type Column = keyof typeof columns;

const usual: Column[] = ["project", "type", "lastSeenAt"];

export function useColumns() {
  const [kept, keep] = useKept<Column[]>("columns", usual);
  const shown = useMemo(() => (Object.keys(columns) as Column[]).filter((one) => kept.includes(one)), [kept]);
  return { shown, keep };
}

interface ChoiceProps {
  isOfProject: boolean;
  shown: readonly Column[];
  keep: (columns: Column[]) => void;
}

/** Which columns the list has for this person. */
export function ColumnChoice({ isOfProject, shown, keep }: ChoiceProps) {
  const offered = (Object.keys(columns) as Column[]).filter((one) => !isOfProject || one !== "project");
  return (
    <Popover position="bottom-end" width={180} trapFocus shadow="sm">
      <Popover.Target>
        <Button variant="default" size="compact-sm" rightSection={<IconChevronDown size={14} aria-hidden />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Checkbox.Group aria-label="Columns" value={[...shown]} onChange={(value) => keep(value)}>
          <Stack gap={6}>
            {offered.map((one) => (
              <Checkbox key={one} size="xs" value={one} label={columns[one]} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}

interface Props {
  usable: readonly Environment[];
  shown: readonly Environment[];
  choose: (changed: Search) => void;
}

/** Which environments have a column, where there are more than fit. */
export function EnvironmentColumns({ usable, shown, choose }: Props) {
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

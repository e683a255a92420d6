import { Button, Checkbox, Popover, Radio, ScrollArea, Stack, TextInput } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useState } from "react";
import { formatFilter, operatorInWords, parseFilter } from "../api/filters";

interface Props {
  label: string;
  /** As in the address: `IS_ANY_OF:a,b`. */
  value: string | undefined;
  operators: readonly string[];
  options: readonly { value: string; label: string; meaning?: string }[];
  onChange: (value: string | undefined) => void;
  /** Asks for options whose label contains a text, where they are too many to be all here. */
  onFind?: (text: string) => void;
}

const shown = 50;

/** A filter of the search: an operator, and some of many values. */
export function FilterChoice({ label, value, operators, options, onChange, onFind }: Props) {
  const [text, setText] = useState("");
  const filter = parseFilter(value) ?? { operator: operators[0] ?? "IS_ANY_OF", values: [] };
  const wanted = text.toLowerCase();
  const unknown: typeof options = filter.values
    .filter((one) => !options.some((option) => option.value === one))
    .map((one) => ({ value: one, label: one }));
  const named = (one: string) => options.find((option) => option.value === one)?.label ?? one;
  const fitting = [...unknown, ...options].filter((option) => option.label.toLowerCase().includes(wanted));
  return (
    <Popover position="bottom-start" width={260} trapFocus shadow="sm">
      <Popover.Target>
        <Button
          variant="default"
          size="compact-sm"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          className={filter.values.length ? "chosen" : undefined}
        >
          {label}
          {filter.values.length > 0 &&
            ` ${operatorInWords(filter.operator)} ${filter.values.length === 1 ? named(filter.values[0] ?? "") : `${filter.values.length} chosen`}`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Radio.Group
            aria-label={`How ${label} is meant`}
            value={filter.operator}
            onChange={(operator) => onChange(formatFilter({ ...filter, operator }) ?? undefined)}
          >
            <Stack gap={4}>
              {operators.map((operator) => (
                <Radio
                  key={operator}
                  size="xs"
                  value={operator}
                  label={operatorInWords(operator)}
                  disabled={!filter.values.length}
                />
              ))}
            </Stack>
          </Radio.Group>
          {(options.length > 8 || onFind) && (
            <TextInput
              size="xs"
              aria-label={`Find in ${label}`}
              placeholder="Find"
              value={text}
              onChange={(event) => {
                setText(event.currentTarget.value);
                onFind?.(event.currentTarget.value);
              }}
            />
          )}
          <ScrollArea.Autosize mah={260} viewportProps={{ tabIndex: 0 }}>
            <Checkbox.Group
              aria-label={label}
              value={filter.values}
              onChange={(values) => onChange(formatFilter({ ...filter, values }))}
            >
              <Stack gap={6}>
                {fitting.slice(0, shown).map((option) => (
                  <Checkbox
                    key={option.value}
                    size="xs"
                    value={option.value}
                    label={option.label}
                    description={option.meaning}
                  />
                ))}
                {fitting.length > shown && (
                  <span className="muted">{fitting.length - shown} more: type a part of the name</span>
                )}
                {fitting.length === 0 && <span className="muted">No results.</span>}
              </Stack>
            </Checkbox.Group>
          </ScrollArea.Autosize>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

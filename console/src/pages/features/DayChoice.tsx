import { Button, Popover, Radio, Stack, TextInput } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useState } from "react";
import { formatFilter, operatorInWords, parseFilter } from "../../api/filters";

const operators = ["IS_ON_OR_AFTER", "IS_BEFORE"] as const;

interface Props {
  label: string;
  /** What is not obvious about it. */
  help?: string;
  /** As in the address: `IS_BEFORE:2027-01-31`. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** The day before which something happened to flags, or since which. */
export function DayChoice({ label, help, value, onChange }: Props) {
  const filter = parseFilter(value);
  const [chosen, setOperator] = useState<string>(operators[0]);
  const operator = filter?.operator ?? chosen;
  const day = filter?.values[0] ?? "";
  const become = (next: { operator: string; day: string }) =>
    onChange(formatFilter({ operator: next.operator, values: next.day ? [next.day] : [] }));
  return (
    <Popover position="bottom-start" width={220} trapFocus shadow="sm">
      <Popover.Target>
        <Button
          variant="default"
          size="compact-sm"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          className={day ? "chosen" : undefined}
        >
          {label}
          {day && ` ${operatorInWords(operator)} ${day}`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Radio.Group
            aria-label={`How ${label} is meant`}
            value={operator}
            onChange={(next) => {
              setOperator(next);
              if (day) become({ operator: next, day });
            }}
          >
            <Stack gap={4}>
              {operators.map((one) => (
                <Radio key={one} size="xs" value={one} label={operatorInWords(one)} />
              ))}
            </Stack>
          </Radio.Group>
          <TextInput
            type="date"
            size="xs"
            label="Day, in UTC"
            description={help}
            value={day}
            onChange={(event) => become({ operator, day: event.currentTarget.value })}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

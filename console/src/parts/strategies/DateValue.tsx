import { TextInput } from "@mantine/core";
import dayjs from "dayjs";

interface Props {
  /** ISO text, as it is stored. */
  value: string;
  onChange: (value: string) => void;
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A date and time of a constraint, entered in the reader's zone and stored in UTC. */
export function DateValue({ value, onChange }: Props) {
  const moment = value && !Number.isNaN(Date.parse(value)) ? dayjs(value) : undefined;
  return (
    <TextInput
      type="datetime-local"
      label="Date and time"
      description={moment ? `In ${zone}. In UTC: ${moment.toISOString()}` : `In ${zone}`}
      error={value && !moment ? `“${value}” is no date and time.` : undefined}
      size="xs"
      value={moment?.format("YYYY-MM-DDTHH:mm") ?? ""}
      onChange={(event) => {
        const entered = event.currentTarget.value && dayjs(event.currentTarget.value);
        onChange(entered && entered.isValid() ? entered.toISOString() : "");
      }}
    />
  );
}

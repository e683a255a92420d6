import { TextInput } from "@mantine/core";
import { forField, fromField, inZone, useZone } from "../zone";

interface Props {
  /** ISO text, as it is stored. */
  value: string;
  onChange: (value: string) => void;
}

/** A date and time of a constraint, entered in the reader's zone and stored in UTC. */
export function DateValue({ value, onChange }: Props) {
  const zone = useZone();
  const moment = value && !Number.isNaN(Date.parse(value)) ? new Date(value) : undefined;
  return (
    <TextInput
      type="datetime-local"
      label="Date and time"
      description={moment ? `In ${zone}. In UTC: ${inZone(moment, "UTC")}` : `In ${zone}`}
      error={value && !moment ? `“${value}” is no date and time.` : undefined}
      size="xs"
      value={moment ? forField(moment, zone) : ""}
      onChange={(event) => onChange(fromField(event.currentTarget.value, zone)?.toISOString() ?? "")}
    />
  );
}

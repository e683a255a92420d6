import { Textarea } from "@mantine/core";
import { AtField } from "./AtField";

interface Props {
  value: string;
  onChange: (description: string) => void;
  /** Most characters that the server keeps. */
  most: number;
  /** Rows that it grows to. */
  rows?: number;
}

/** The description of a thing, in its form. */
export const DescriptionField = ({ value, onChange, most, rows = 6 }: Props) => (
  <AtField of="description">
    <Textarea
      label="Description"
      autosize
      minRows={2}
      maxRows={rows}
      maxLength={most}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  </AtField>
);

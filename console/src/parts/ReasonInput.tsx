import { TextInput } from "@mantine/core";
import { mostOfReason } from "../api/reason";

interface Props {
  reason: string;
  onChange: (reason: string) => void;
}

/** Why a change is made, for whoever reads the event log later. */
export const ReasonInput = ({ reason, onChange }: Props) => (
  <TextInput
    label="Why (kept in the event log)"
    placeholder="optional"
    maxLength={mostOfReason}
    autoComplete="off"
    value={reason}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

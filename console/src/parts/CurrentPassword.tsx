import type { PasswordInputProps } from "@mantine/core";
import { PasswordInput } from "./PasswordInput";

interface Props extends Pick<PasswordInputProps, "description" | "error" | "required" | "w"> {
  value: string;
  onChange: (value: string) => void;
}

/** The field for the password that one has now. */
export function CurrentPassword({ onChange, ...props }: Props) {
  return (
    <PasswordInput
      label="Current password"
      autoComplete="current-password"
      maxLength={1000}
      onChange={(event) => onChange(event.currentTarget.value)}
      visibilityToggleButtonProps={{ "aria-label": "Show the current password" }}
      {...props}
    />
  );
}

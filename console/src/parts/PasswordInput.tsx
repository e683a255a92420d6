import { PasswordInput as MantinePasswordInput, type PasswordInputProps } from "@mantine/core";
import type { Ref } from "react";

/** Mantine's field for a secret, which does not tell assistive technology by itself that its value is refused. */
export function PasswordInput(props: PasswordInputProps & { ref?: Ref<HTMLInputElement> }) {
  return <MantinePasswordInput aria-invalid={props.error ? true : undefined} {...props} />;
}

import { Switch, TextInput, Textarea } from "@mantine/core";
import { PasswordInput } from "../../parts/PasswordInput";
import { kept, type Parameter } from "./integrations";

interface Props {
  parameter: Parameter;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

/** Something that a kind of system has to know, in the control that fits it. */
export function ParameterInput({ parameter, value, error, onChange }: Props) {
  const { displayName, description, placeholder, required, sensitive, type } = parameter;
  const isKept = sensitive && value === kept;
  const typed = {
    label: displayName,
    description: isKept ? `${description} A value is stored and never shown: type to replace it.` : description,
    placeholder,
    required,
    error,
    value,
    maxLength: 10_000,
    spellCheck: false,
    autoComplete: "off",
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
    // What stands for a secret is replaced as a whole.
    onFocus: (event: { currentTarget: { select: () => void } }) => isKept && event.currentTarget.select(),
  };
  // Choices come as text with `true` or `false` as the example.
  if (type === "text" && (placeholder === "true" || placeholder === "false")) {
    return (
      <Switch
        label={displayName}
        description={description}
        error={error}
        checked={value === "true"}
        onChange={(event) => onChange(event.currentTarget.checked ? "true" : "")}
      />
    );
  }
  if (type === "textfield") {
    return <Textarea {...typed} classNames={{ input: "mono" }} autosize minRows={2} maxRows={10} />;
  }
  if (sensitive && type !== "url") {
    return (
      <PasswordInput
        {...typed}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ "aria-label": `Show: ${displayName}` }}
      />
    );
  }
  return <TextInput {...typed} inputMode={type === "url" ? "url" : undefined} />;
}

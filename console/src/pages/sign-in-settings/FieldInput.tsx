import { Select, Switch, TextInput, Textarea } from "@mantine/core";
import type { ReactNode } from "react";
import { PasswordInput } from "../../parts/PasswordInput";
import type { Field } from "./fields";

interface Props {
  field: Pick<Field, "kind" | "label" | "about" | "maxLength">;
  value: string | boolean;
  roles: readonly { id: number; name: string }[];
  isNeeded: boolean;
  error?: ReactNode;
  /** Algorithms to choose from. */
  algorithms?: readonly string[];
  onChange: (value: string | boolean) => void;
}

const ofSettings = ["RS256", "RS384", "RS512"];

/** One setting, in the control that its kind asks for. */
export function FieldInput({
  field: { kind, label, about, maxLength },
  value,
  roles,
  isNeeded,
  error,
  algorithms = ofSettings,
  onChange,
}: Props) {
  const text = String(value);
  const common = { label, description: about, error, withAsterisk: isNeeded };
  const typed = {
    ...common,
    maxLength,
    spellCheck: false,
    autoComplete: "off",
    value: text,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  };
  switch (kind) {
    case "switch":
      return (
        <Switch
          label={label}
          description={about}
          error={error}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case "secret":
      return (
        <PasswordInput
          {...typed}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ "aria-label": `Show: ${label}` }}
        />
      );
    case "long":
      return <Textarea {...typed} classNames={{ input: "mono" }} autosize minRows={3} maxRows={10} />;
    case "long-secret":
      return <LongSecret {...typed} />;
    case "algorithm":
      return (
        <Select
          {...common}
          data={[...algorithms]}
          clearable
          clearButtonProps={{ "aria-label": `None: ${label}` }}
          placeholder="RS256"
          value={text || null}
          onChange={(chosen) => onChange(chosen ?? "")}
        />
      );
    case "role":
      return (
        <Select
          {...common}
          data={roles.map(({ id, name }) => ({ value: String(id), label: name }))}
          clearable
          clearButtonProps={{ "aria-label": `None: ${label}` }}
          placeholder="Viewer"
          value={text || null}
          onChange={(chosen) => onChange(chosen ?? "")}
        />
      );
    case "text":
      return <TextInput {...typed} />;
  }
}

type LongProps = React.ComponentProps<typeof Textarea> & { value: string };

/** A secret of several lines: shown only while somebody looks at it. */
function LongSecret(props: LongProps) {
  return (
    <div>
      {props.value === "" ? (
        <Textarea {...props} classNames={{ input: "mono" }} autosize minRows={2} maxRows={6} />
      ) : (
        <details>
          <summary>{props.label}: one is there. Show and change it</summary>
          <Textarea {...props} classNames={{ input: "mono" }} autosize minRows={3} maxRows={10} />
        </details>
      )}
    </div>
  );
}

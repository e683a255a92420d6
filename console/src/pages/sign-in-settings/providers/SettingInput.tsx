import { TagsInput } from "@mantine/core";
import type { ReactNode } from "react";
import { algorithms } from "../algorithms";
import { FieldInput } from "../FieldInput";
import type { Value } from "./draft";
import type { Setting } from "./settings";

interface Props {
  setting: Setting;
  value: Value;
  roles: readonly { id: number; name: string }[];
  isNeeded?: boolean;
  error?: ReactNode;
  onChange: (value: Value) => void;
}

/** One setting or rule of a login provider, in the control that its kind asks for. */
export function SettingInput({ setting, value, roles, isNeeded = false, error, onChange }: Props) {
  const { kind, label, about, maxLength, most } = setting;
  if (!Array.isArray(value))
    return (
      <FieldInput
        field={{ label, about, maxLength, kind: kind === "texts" ? "text" : kind }}
        value={value}
        roles={roles}
        isNeeded={isNeeded}
        error={error}
        algorithms={algorithms}
        onChange={onChange}
      />
    );
  return (
    <TagsInput
      label={label}
      description={`${about ?? ""} Enter adds one.`.trim()}
      error={error}
      maxTags={most}
      maxLength={maxLength}
      // Names of groups may have commas.
      splitChars={["\n"]}
      isDuplicate={(text, held) => held.includes(text)}
      value={value}
      onChange={onChange}
    />
  );
}

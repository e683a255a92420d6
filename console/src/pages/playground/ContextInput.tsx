import { ActionIcon, Autocomplete, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useApplicationNames } from "../../parts/applications";

interface Props {
  name: string;
  /** The values that the field may have; none where any may be. */
  legal: readonly string[];
  /** The values, with commas between them. */
  text: string;
  put: (text: string) => void;
  /** Absent for a field that is always there. */
  remove: (() => void) | undefined;
}

/** Values of a context field. Those that are known are offered, each after the ones that are typed before it. */
export function ContextInput({ name, legal, text, put, remove }: Props) {
  const applications = useApplicationNames(name === "appName");
  const offered = legal.length > 0 ? legal : applications;
  const before = text.slice(0, text.lastIndexOf(",") + 1);
  const shared = {
    label: name,
    size: "xs",
    spellCheck: false,
    value: text,
    rightSection: remove && (
      <ActionIcon variant="subtle" size={24} aria-label={`Without ${name}`} onClick={remove}>
        <IconX size={14} aria-hidden />
      </ActionIcon>
    ),
  };
  if (offered.length === 0)
    return (
      <TextInput
        {...shared}
        placeholder={name === "currentTime" ? "2027-01-31T12:00:00Z" : ""}
        onChange={(event) => put(event.currentTarget.value)}
      />
    );
  return (
    <Autocomplete
      {...shared}
      limit={50}
      placeholder={offered.slice(0, 3).join(",")}
      data={[...new Set(offered)].map((value) => before + value)}
      onChange={put}
    />
  );
}

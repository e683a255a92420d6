import { TextInput } from "@mantine/core";
import { AtField } from "./AtField";
import { DescriptionField } from "./DescriptionField";

interface Named {
  name: string;
  description: string;
}

interface Props {
  draft: Named;
  change: (changed: Partial<Named>) => void;
}

/** What a thing is called and is for, at the head of its form. */
export function NameAndDescription({ draft, change }: Props) {
  return (
    <>
      <AtField of="name">
        <TextInput
          data-autofocus
          label="Name"
          required
          maxLength={255}
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
      </AtField>
      <DescriptionField value={draft.description} onChange={(description) => change({ description })} most={1000} />
    </>
  );
}

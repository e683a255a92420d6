import { TextInput, Textarea } from "@mantine/core";
import { AtField } from "./AtField";

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
      <AtField of="description">
        <Textarea
          label="Description"
          autosize
          minRows={2}
          maxRows={6}
          maxLength={1000}
          value={draft.description}
          onChange={(event) => change({ description: event.currentTarget.value })}
        />
      </AtField>
    </>
  );
}

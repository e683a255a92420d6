import { Button, Group, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import { useMe } from "../../api/queries";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { isOpen, readRequest, retitling } from "../../parts/change-requests/requests";
import { Problem } from "../../parts/Problem";
import type { Shown } from "./shown";

/** Who asked to edit it types next. */
const focused = (input: HTMLInputElement | null) => input?.focus();

/** The title, which the author can change as long as the request is open. */
export function TitleField({ request }: Pick<Shown, "request">) {
  const me = useMe();
  const [title, setTitle] = useState<string>();
  const { act, withOwnChanges, busy, error } = useAct({ inline: true });
  const canEdit = isOpen(request.state) && me?.user.id === request.createdBy.id;
  if (title === undefined) {
    return (
      <Group gap="sm">
        <Title order={1} className="breaks">
          <bdi>{request.title}</bdi>
        </Title>
        {canEdit && (
          <Button variant="default" size="compact-sm" onClick={() => setTitle(request.title)}>
            Edit the title
          </Button>
        )}
      </Group>
    );
  }

  async function save(version: string | undefined) {
    const done = await act({ request: retitling(request, title ?? "", version), done: "The title is changed." });
    if (done) setTitle(undefined);
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void withOwnChanges(readRequest(request), ({ version }) => save(version));
      }}
    >
      <Title order={1} className="visually-hidden">
        {request.title}
      </Title>
      <Group gap="sm" align="end">
        <TextInput
          ref={focused}
          label="Title"
          maxLength={255}
          w={360}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <ActionButton
          type="submit"
          request={retitling(request, title)}
          loading={busy}
          because={title.trim() === request.title ? "Nothing is changed yet." : undefined}
        >
          Save
        </ActionButton>
        <Button variant="default" onClick={() => setTitle(undefined)}>
          Cancel
        </Button>
      </Group>
      <Problem error={error} />
    </form>
  );
}

import { Group, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Place } from "../../api/permissions";
import type { Planned } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";

interface Props<A> {
  label: string;
  description: string;
  maxLength: number;
  plan: (name: string) => Planned<A>;
  place?: Place;
  action: string;
  done: (name: string) => string;
  onMade: (answer: A) => void;
}

/** Creates something of which only the name is asked. */
export function CreateByName<A>({ label, description, maxLength, plan, place, action, done, onMade }: Props<A>) {
  const [name, setName] = useState("");
  const { act, busy, error } = useAct({ inline: true });
  const planned = plan(name.trim());

  async function create() {
    const made = await act({ request: planned, done: done(name.trim()) });
    if (!made) return;
    setName("");
    onMade(made.data);
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <Group gap="sm" align="end">
        <TextInput
          label={label}
          description={description}
          required
          maxLength={maxLength}
          spellCheck={false}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ActionButton
          type="submit"
          request={planned}
          place={place}
          loading={busy}
          because={name.trim() ? undefined : "Type a name first."}
        >
          {action}
        </ActionButton>
      </Group>
      <Problem error={error} />
      <RequestPreview requests={[planned]} />
    </form>
  );
}

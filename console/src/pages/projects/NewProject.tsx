import { Button, Drawer, Group, Select, Stack, TextInput, Textarea } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { complaintAt } from "../../parts/forms/complaints";
import { NameRefused } from "../../parts/forms/NameRefused";
import { leave } from "../../parts/forms/leave";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";

export const planProject = (id: string, name: string, description: string, mode: "open" | "protected" | "private") =>
  request("post", "/api/admin/projects", {
    body: { id: id || undefined, name, description: description || undefined, mode },
  });

/** Stands for making a project where only its permission matters. */
export const example = planProject("", "…", "", "open");

const modes = [
  { value: "open", label: "Open: everybody sees it and may ask for changes" },
  { value: "protected", label: "Protected: everybody sees it" },
  { value: "private", label: "Private: only its members see it" },
];

/** Makes a project; whoever does becomes its owner. */
export function NewProject({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [id, setId] = useState("");
  const [description, setDescription] = useState("");
  const [mode, setMode] = useState<"open" | "protected" | "private">("open");
  const { act, busy, error } = useAct({ inline: true });
  const isChanged = mode !== "open" || [name, id, description].some(Boolean);
  const planned = planProject(id, name, description, mode);

  const [refusedId, refusedName] = [complaintAt(error, "id"), complaintAt(error, "name")];

  async function create() {
    const made = await act({ request: planned, done: `The project ${name} was created.` });
    if (made) void navigate({ to: "/projects/$projectId/features", params: { projectId: made.data.id } });
  }

  return (
    <Drawer opened onClose={() => void leave(isChanged, onClose)} title="New project" size="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Stack gap="md">
          <TextInput
            data-autofocus
            label="Name"
            required
            maxLength={200}
            value={name}
            error={refusedName}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label="Id"
            description="What addresses and tokens call it. Left empty, it is derived from the name. It cannot be changed later."
            maxLength={100}
            spellCheck={false}
            value={id}
            error={refusedId && <NameRefused said={refusedId} typed={id} use={setId} />}
            onChange={(event) => setId(event.currentTarget.value)}
          />
          <Textarea
            label="Description"
            autosize
            minRows={2}
            maxRows={8}
            maxLength={10_000}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <Select
            label="Who sees it"
            allowDeselect={false}
            data={modes}
            value={mode}
            onChange={(chosen) => chosen && setMode(chosen as typeof mode)}
          />
          <Problem error={refusedId || refusedName ? undefined : error} />
          <RequestPreview requests={[planned]} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <ActionButton type="submit" request={planned} loading={busy}>
              Create {name || "it"}
            </ActionButton>
          </Group>
        </Stack>
      </form>
    </Drawer>
  );
}

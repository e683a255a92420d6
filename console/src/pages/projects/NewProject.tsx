import { Select, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { request, type Schemas } from "../../api/request";
import { AtField } from "../../parts/forms/AtField";
import { DescriptionField } from "../../parts/forms/DescriptionField";
import { NewDrawer } from "../../parts/forms/NewDrawer";

type Mode = Schemas["ProjectOverview"]["mode"];

export const planProject = (id: string, name: string, description: string, mode: Mode) =>
  request("post", "/api/admin/projects", {
    body: { id: id || undefined, name, description: description || undefined, mode },
  });

/** Stands for making a project where only its permission matters. */
export const example = planProject("", "…", "", "open");

const modes: { value: Mode; label: string }[] = [
  { value: "open", label: "Open: everybody sees it and may ask for changes" },
  { value: "protected", label: "Protected: everybody sees it" },
  { value: "private", label: "Private: only its members see it" },
];

const nothing = { name: "", id: "", description: "", mode: "open" as Mode };

/** Makes a project; whoever does becomes its owner. */
export function NewProject({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <NewDrawer
      title="New project"
      initial={nothing}
      plan={({ id, name, description, mode }) => planProject(id, name, description, mode)}
      action={({ name }) => `Create ${name || "it"}`}
      done={({ name }) => `The project ${name} was created.`}
      onMade={({ id }) => void navigate({ to: "/projects/$projectId/features", params: { projectId: id } })}
      onClose={onClose}
    >
      {(draft, change) => (
        <>
          <AtField of="name">
            <TextInput
              data-autofocus
              label="Name"
              required
              maxLength={200}
              value={draft.name}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
          </AtField>
          <AtField of="id" use={(id) => change({ id })}>
            <TextInput
              label="Id"
              description="What addresses and tokens call it. Left empty, it is derived from the name. It cannot be changed later."
              maxLength={100}
              spellCheck={false}
              value={draft.id}
              onChange={(event) => change({ id: event.currentTarget.value })}
            />
          </AtField>
          <DescriptionField
            value={draft.description}
            onChange={(description) => change({ description })}
            most={10_000}
            rows={8}
          />
          <Select
            label="Who sees it"
            allowDeselect={false}
            data={modes}
            value={draft.mode}
            onChange={(mode) => mode && change({ mode })}
          />
        </>
      )}
    </NewDrawer>
  );
}

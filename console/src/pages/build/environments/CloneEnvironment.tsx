import { MultiSelect, Switch, Text } from "@mantine/core";
import { useEnvironments, useProjects } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { NameField, TypeField } from "./EnvironmentForms";
import { AtField } from "../../../parts/forms/AtField";

interface Props {
  original: Schemas["Environment"];
  onClose: () => void;
}

/** Makes an environment in which everything is as in another one. */
export function CloneEnvironment({ original, onClose }: Props) {
  const projects = useProjects();
  const types = [...new Set(useEnvironments().map(({ type }) => type))];
  return (
    <NewDrawer
      title={`Clone ${original.name}`}
      initial={{ name: "", type: original.type, projects: [] as string[], clonePermissions: true }}
      plan={({ name, type, projects: chosen, clonePermissions }) =>
        request("post", "/api/admin/environments/{name}/clone", {
          params: { path: { name: original.name } },
          body: { name: name.trim(), type, projects: chosen.length ? chosen : undefined, clonePermissions },
        })
      }
      action={({ name }) => `Create ${name.trim() || "it"}`}
      done={({ name }) => `${name.trim()} is as ${original.name} is.`}
      objection={({ name, type }) => (name.trim() && type.trim() ? undefined : "A name and a type are needed.")}
      onClose={onClose}
    >
      {(draft, change) => (
        <>
          <Text size="sm">Switches, strategies, variants and default strategies are copied; tokens are not.</Text>
          <NameField value={draft.name} onChange={(name) => change({ name })} />
          <TypeField value={draft.type} types={types} onChange={(type) => change({ type })} />
          <AtField of="projects">
            <MultiSelect
              label="Projects"
              description="Projects that use the original. None chosen: all of them."
              searchable
              limit={50}
              data={projects.map(({ id, name }) => ({ value: id, label: name }))}
              value={draft.projects}
              onChange={(chosen) => change({ projects: chosen })}
            />
          </AtField>
          <Switch
            label="Copy the permissions that roles have in the original"
            checked={draft.clonePermissions}
            onChange={(event) => change({ clonePermissions: event.currentTarget.checked })}
          />
        </>
      )}
    </NewDrawer>
  );
}

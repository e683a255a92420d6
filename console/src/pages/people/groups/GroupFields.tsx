import { MultiSelect, Select, TagsInput } from "@mantine/core";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { NameAndDescription } from "../../../parts/forms/NameAndDescription";
import { fullNameOf, useRootRoles } from "../../../parts/people";

export type Draft = { name: string; description: string; mappingsSSO: string[]; rootRole: string; users: string[] };

export const noGroup: Draft = { name: "", description: "", mappingsSSO: [], rootRole: "", users: [] };

export const draftOf = ({ name, description, mappingsSSO, rootRole, users }: Schemas["Group"]): Draft => ({
  name,
  description: description ?? "",
  mappingsSSO,
  rootRole: rootRole ? String(rootRole) : "",
  users: users.map(({ user }) => String(user.id)),
});

export const bodyOf = ({ name, description, mappingsSSO, rootRole, users }: Draft) => ({
  name: name.trim(),
  description: description || null,
  mappingsSSO,
  rootRole: rootRole ? Number(rootRole) : null,
  users: users.map((id) => ({ user: { id: Number(id) } })),
});

interface Props {
  draft: Draft;
  change: (changed: Partial<Draft>) => void;
}

/** What a group is: its members, the role that they all have, and which groups of a login provider feed it. */
export function GroupFields({ draft, change }: Props) {
  const people = useRead(request("get", "/api/admin/user-admin/access"), { staleTime: 60_000 }).data?.users ?? [];
  const roles = useRootRoles();
  return (
    <>
      <NameAndDescription draft={draft} change={change} />
      <MultiSelect
        label={`Members (${draft.users.length})`}
        searchable
        limit={50}
        placeholder="Type a part of a name"
        nothingFoundMessage="Nobody is called so."
        data={people.map((person) => ({ value: String(person.id), label: fullNameOf(person) }))}
        value={draft.users}
        onChange={(users) => change({ users })}
      />
      <TagsInput
        label="Groups of the login provider"
        description="Users in one of them join this group when they sign in, and leave it with that one. Members added by hand stay."
        maxTags={100}
        value={draft.mappingsSSO}
        onChange={(mappingsSSO) => change({ mappingsSSO })}
      />
      <Select
        label="Role in the whole instance"
        description="Each member has it besides their own. Roles in a project are given there."
        clearable
        clearButtonProps={{ "aria-label": "No role" }}
        placeholder="None"
        data={roles.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={draft.rootRole || null}
        onChange={(rootRole) => change({ rootRole: rootRole ?? "" })}
      />
    </>
  );
}

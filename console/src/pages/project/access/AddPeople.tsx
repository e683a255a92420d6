import { Button, Drawer, Group, MultiSelect, Stack } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../../api/queries";
import { request } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { leave } from "../../../parts/forms/leave";
import { Problem } from "../../../parts/Problem";
import { RequestPreview } from "../../../parts/requests/RequestPreview";
import type { Holder } from "./holders";
import { counted } from "../../../words/counts";

interface Props {
  projectId: string;
  roles: { id: number; name: string; description?: string | null }[];
  holders: Holder[];
  onClose: () => void;
}

export const additionTo = (projectId: string, roles: number[] = [], users: number[] = [], groups: number[] = []) =>
  request("post", "/api/admin/projects/{projectId}/access", {
    params: { path: { projectId } },
    body: { roles, users, groups },
  });

/** Lets people and groups into a project, by roles. */
export function AddPeople({ projectId, roles, holders, onClose }: Props) {
  const known = useRead(request("get", "/api/admin/user-admin/access"), { staleTime: 60_000 });
  const [users, setUsers] = useState<string[]>([]);
  const [groups, setGroups] = useState<string[]>([]);
  const [chosen, setChosen] = useState<string[]>([]);
  const { act, busy, error } = useAct({ inline: true });
  const planned = additionTo(projectId, chosen.map(Number), users.map(Number), groups.map(Number));
  const here = (kind: Holder["kind"]) => new Set(holders.filter((one) => one.kind === kind).map(({ id }) => id));
  const [usersHere, groupsHere] = [here("user"), here("group")];
  const missing =
    users.length + groups.length === 0 ? "Choose people or groups." : chosen.length ? undefined : "Choose a role.";

  async function add() {
    if (missing) return;
    const done = await act({ request: planned, done: `${users.length + groups.length} let into ${projectId}.` });
    if (done) onClose();
  }

  return (
    <Drawer
      opened
      onClose={() => void leave(users.length + groups.length + chosen.length > 0, onClose)}
      title={`Add people to ${projectId}`}
      size="md"
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <Stack gap="md">
          <MultiSelect
            label="People"
            searchable
            limit={50}
            data={(known.data?.users ?? []).map(({ id, name, username, email }) => ({
              value: String(id),
              label: `${called({ id, name, username, email })}${usersHere.has(id) ? ", has a role already" : ""}`,
            }))}
            value={users}
            onChange={setUsers}
          />
          <MultiSelect
            label="Groups"
            searchable
            limit={50}
            data={(known.data?.groups ?? []).map(({ id, name, userCount }) => ({
              value: String(id),
              label: `${name}, ${counted(userCount, "person", "people")}${groupsHere.has(id) ? ", has a role already" : ""}`,
            }))}
            value={groups}
            onChange={setGroups}
          />
          <MultiSelect
            label="Roles"
            description="Each of them gets all of these, besides what they have."
            data={roles.map(({ id, name }) => ({ value: String(id), label: name }))}
            value={chosen}
            onChange={setChosen}
          />
          {roles
            .filter(({ id }) => chosen.includes(String(id)))
            .map(({ id, name, description }) => (
              <span key={id} className="muted breaks">
                {name}: {description}
              </span>
            ))}
          <Problem error={error ?? known.error} />
          <RequestPreview requests={[planned]} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <ActionButton type="submit" request={planned} loading={busy} because={missing}>
              Add
            </ActionButton>
          </Group>
        </Stack>
      </form>
    </Drawer>
  );
}

/** Two may have one name, so what they sign in by comes along. */
function called({
  id,
  name,
  username,
  email,
}: { id: number } & Partial<Record<"name" | "username" | "email", string | null>>) {
  const account = username || email || `user ${id}`;
  return name && name !== account ? `${name} (${account})` : account;
}

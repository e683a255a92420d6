import { Button, Checkbox, Group, Table, UnstyledButton } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { first } from "../../../api/address";
import { useRead } from "../../../api/queries";
import { request } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useKeys } from "../../../parts/keys";
import { Moment } from "../../../parts/Moment";
import { Unread } from "../../../parts/Unread";
import type { OfProject } from "../shown";
import { AddPeople, additionTo } from "./AddPeople";
import { RoleDrawer, UserDrawer } from "./Grants";
import { holdersOf, useRoles, type Holder } from "./holders";

/** Who may do something in a project, by which roles. */
export default function Access({ projectId, project }: OfProject) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const read = useRead(request("get", "/api/admin/projects/{projectId}/access", { params: { path: { projectId } } }));
  const show = (what: { role?: string; user?: string; new?: string }) => void navigate({ to: ".", search: what });

  useKeys({ n: { does: "Add people", run: () => show({ new: "true" }) } });

  if (!read.data) return <Unread read={read} />;
  const { roles } = read.data;
  const holders = holdersOf(read.data);
  const role = roles.find(({ id }) => String(id) === first(search.role));
  const user = holders.find(({ kind, id }) => kind === "user" && String(id) === first(search.user));
  return (
    <>
      <Group justify="space-between" gap="sm">
        <span className="muted">
          {project.mode === "private"
            ? "The project is private: only these people, and administrators, see it."
            : "Everybody sees the project; these may do something in it, and administrators everything."}
        </span>
        <ActionButton request={additionTo(projectId)} onClick={() => show({ new: "true" })}>
          Add people
        </ActionButton>
      </Group>
      {holders.length === 0 ? (
        <div className="card">Nobody has a role in this project: only administrators may change anything in it.</div>
      ) : (
        <div className="card scrolls" tabIndex={0} role="region" aria-label="People, groups and their roles">
          <Table className="cards">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Who</Table.Th>
                {roles.map(({ id, name }) => (
                  <Table.Th key={id}>
                    <UnstyledButton
                      fz="inherit"
                      fw="inherit"
                      td="underline"
                      aria-label={`What ${name} may do`}
                      onClick={() => show({ role: String(id) })}
                    >
                      <bdi>{name}</bdi>
                    </UnstyledButton>
                  </Table.Th>
                ))}
                <Table.Th>Since</Table.Th>
                <Table.Th>
                  <span className="visually-hidden">More</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {holders.map((holder) => (
                <Row
                  key={`${holder.kind} ${holder.id}`}
                  projectId={projectId}
                  holder={holder}
                  roles={roles}
                  show={show}
                />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {search.new !== undefined && (
        <AddPeople projectId={projectId} roles={roles} holders={holders} onClose={() => show({})} />
      )}
      {role && <RoleDrawer role={role} onClose={() => show({})} />}
      {user && <UserDrawer projectId={projectId} holder={user} onClose={() => show({})} />}
    </>
  );
}

interface RowProps {
  projectId: string;
  holder: Holder;
  roles: { id: number; name: string }[];
  show: (what: { user: string }) => void;
}

function Row({ projectId, holder, roles, show }: RowProps) {
  const { held, set, takeAll, refusal, busy, removal } = useRoles(projectId, holder);
  return (
    <Table.Tr>
      <Table.Td className="breaks">
        <bdi>{holder.name}</bdi>
        {holder.kind === "group" && <span className="chip">group of {holder.members}</span>}
      </Table.Td>
      {roles.map(({ id, name }) => (
        <Table.Td key={id} data-label={name}>
          <Checkbox
            size="xs"
            aria-label={`${name}: ${holder.name}`}
            aria-disabled={refusal ? true : undefined}
            title={refusal}
            disabled={busy}
            checked={held.includes(id)}
            onChange={(event) => {
              const on = event.currentTarget.checked;
              if (refusal) return;
              const next = on ? [...held, id] : held.filter((one) => one !== id);
              void set(next, `${holder.name} is ${on ? "" : "no longer "}${name} in ${projectId}.`);
            }}
          />
        </Table.Td>
      ))}
      <Table.Td data-label="Since">
        <Moment at={holder.addedAt} />
      </Table.Td>
      <Table.Td>
        <Group gap="xs">
          {holder.kind === "user" && (
            <Button size="compact-xs" variant="default" onClick={() => show({ user: String(holder.id) })}>
              What may they do?
            </Button>
          )}
          <ActionButton
            size="compact-xs"
            variant="outline"
            color="red"
            request={removal}
            loading={busy}
            onClick={() => void takeAll()}
          >
            Remove
          </ActionButton>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

import { Stack, Text } from "@mantine/core";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import classes from "../../../parts/area/Area.module.css";
import { EditDrawer } from "../../../parts/forms/EditDrawer";
import { FormDrawer } from "../../../parts/forms/FormDrawer";
import { NameAndDescription } from "../../../parts/forms/NameAndDescription";
import { RemoveButton } from "../../../parts/forms/RemoveButton";
import { isRootRole } from "../../../parts/people";
import { Unread } from "../../../parts/Unread";
import { Matrix } from "./Matrix";
import { grant } from "./matrix";
import { bodyOf, type Draft } from "./NewRole";

export const isBuiltIn = ({ type }: Pick<Schemas["Role"], "type">) => type === "root" || type === "project";

interface Props {
  role: Schemas["Role"];
  onClose: () => void;
}

const grantsOf = ({ permissions }: Schemas["RoleWithPermissions"]) =>
  permissions.map(({ name, environment }) => grant(name, environment)).sort();

const reading = (id: number) => request("get", "/api/admin/roles/{roleId}", { params: { path: { roleId: id } } });

/** A role: changed where it was made here, otherwise shown. */
export function RoleDrawer({ role, onClose }: Props) {
  return isBuiltIn(role) ? <BuiltIn role={role} onClose={onClose} /> : <Custom role={role} onClose={onClose} />;
}

function BuiltIn({ role, onClose }: Props) {
  const read = useRead(reading(role.id));
  return (
    <FormDrawer title={role.name} size="xl" onClose={onClose}>
      {!read.data || read.isPlaceholderData ? (
        <Unread read={read} />
      ) : (
        <Stack gap="md">
          <Text size="sm">{role.description} It came with the server and stays as it is.</Text>
          {read.data.permissions.some(({ name }) => name === "ADMIN") ? (
            <Text size="sm">It has the one permission that covers all others, ADMIN.</Text>
          ) : (
            <Matrix grants={grantsOf(read.data)} inProjects={!isRootRole(role)} />
          )}
        </Stack>
      )}
    </FormDrawer>
  );
}

function Custom({ role, onClose }: Props) {
  const params = { path: { roleId: role.id } };
  const type = role.type as Draft["type"];
  return (
    <EditDrawer
      title={role.name}
      size="xl"
      read={reading(role.id)}
      valuesOf={(read): Draft => ({ name: read.name, description: read.description, type, grants: grantsOf(read) })}
      plan={(draft) => request("put", "/api/admin/roles/{roleId}", { params, body: bodyOf(draft) })}
      events={{ type: "IS:role-updated", query: role.name }}
      done="The role is saved."
      objection={({ name }) => (name.trim() ? undefined : "A name is missing.")}
      onClose={onClose}
      below={() => (
        <section className={classes.section} aria-label="Delete">
          <RemoveButton
            what="role"
            name={role.name}
            request={request("delete", "/api/admin/roles/{roleId}", { params })}
            seen={reading(role.id)}
            consequence="It can only be deleted once nobody holds it, no group gives it, and no login provider gives it to new users."
            onRemoved={onClose}
          />
        </section>
      )}
    >
      {(draft, change) => (
        <>
          <Text size="sm">It changes for everybody who holds it.</Text>
          <NameAndDescription draft={draft} change={change} />
          <Matrix grants={draft.grants} inProjects={!isRootRole(role)} onChange={(grants) => change({ grants })} />
        </>
      )}
    </EditDrawer>
  );
}

import { Group, SegmentedControl } from "@mantine/core";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAddress } from "../../../parts/address";
import { Area } from "../../../parts/area/Area";
import { Listing, type Column } from "../../../parts/area/Listing";
import { OpenRow } from "../../../parts/area/OpenRow";
import { SearchField, holds } from "../../../parts/area/SearchField";
import { useKeys } from "../../../parts/keys";
import { isRootRole, peopleTabs } from "../../../parts/people";
import { NewRole, planRole } from "./NewRole";
import { isBuiltIn, RoleDrawer } from "./RoleDrawer";

type Role = Schemas["Role"];

/** What people may do, taken together under a name. */
export function Roles() {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/roles"));
  const open = (value: string | undefined) => change({ new: value });
  useKeys({ n: { does: "New role", run: () => open("true") } });
  const where = get("where") ?? "all";
  const roles = (read.data?.roles ?? []).filter(
    (role) =>
      (where === "all" || isRootRole(role) === (where === "root")) && holds(get("query"), role.name, role.description),
  );
  const show = ({ id }: Role) => change({ role: String(id) });
  const columns: Column<Role>[] = [
    { head: "Name", cell: (role) => <OpenRow name={role.name} note={role.description} onClick={() => show(role)} /> },
    { head: "Scope", cell: (role) => (isRootRole(role) ? "in the whole instance" : "in projects") },
    { head: "Origin", wide: true, cell: (role) => (isBuiltIn(role) ? "built in" : "created here") },
  ];
  const shown = read.data?.roles.find(({ id }) => String(id) === get("role"));

  return (
    <Area
      title="Roles"
      tabs={peopleTabs}
      fills
      action={
        <ActionButton
          request={planRole({ name: "…", description: "", type: "custom", grants: [] })}
          onClick={() => open("true")}
        >
          New role
        </ActionButton>
      }
    >
      <Group gap="sm" role="search" aria-label="Roles">
        <SearchField />
        <SegmentedControl
          size="xs"
          aria-label="Where roles count"
          data={[
            { value: "all", label: "All" },
            { value: "root", label: "Whole instance" },
            { value: "project", label: "Projects" },
          ]}
          value={where}
          onChange={(value) => change({ where: value === "all" ? undefined : value })}
        />
      </Group>
      <Listing
        label="Roles"
        read={read}
        items={roles}
        keyOf={({ id }) => String(id)}
        columns={columns}
        open={show}
        empty="No role fits what is searched for."
      />
      {get("new") !== undefined && <NewRole onClose={() => open(undefined)} />}
      {shown && <RoleDrawer key={shown.id} role={shown} onClose={() => change({ role: undefined })} />}
    </Area>
  );
}

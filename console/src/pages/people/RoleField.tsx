import { Select } from "@mantine/core";
import type { Schemas } from "../../api/request";
import { AtField } from "../../parts/forms/AtField";

type Roles = readonly Schemas["Role"][];

/** The role that allows least, for an account that is made: what more it may do is given on purpose. */
export const leastRole = (roles: Roles) => String((roles.find(({ name }) => name === "Viewer") ?? roles[0])?.id ?? "");

interface Props {
  roles: Roles;
  value: string;
  onChange: (value: string) => void;
}

/** The role that somebody has everywhere. */
export const RoleField = ({ roles, value, onChange }: Props) => (
  <AtField of="rootRole">
    <Select
      label="Role in the whole instance"
      description={roles.find(({ id }) => String(id) === value)?.description}
      allowDeselect={false}
      data={roles.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={value}
      onChange={(chosen) => chosen && onChange(chosen)}
    />
  </AtField>
);

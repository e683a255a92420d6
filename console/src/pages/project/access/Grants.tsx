import { Drawer, Select, Stack, Table } from "@mantine/core";
import { useState } from "react";
import { useEnvironments, useRead } from "../../../api/queries";
import { request } from "../../../api/request";
import { EnvironmentName, environmentOption } from "../../../parts/EnvironmentName";
import { Problem } from "../../../parts/Problem";
import { permissionName } from "../../../words/permissions";
import { Waiting } from "../../../parts/Waiting";
import type { Holder } from "./holders";

interface RoleProps {
  role: { id: number; name: string; description?: string | null };
  onClose: () => void;
}

/** What a role allows, and where. */
export function RoleDrawer({ role, onClose }: RoleProps) {
  const read = useRead(request("get", "/api/admin/roles/{roleId}", { params: { path: { roleId: role.id } } }));
  const environments = useEnvironments();
  return (
    <Drawer opened onClose={onClose} title={`What ${role.name} may do`} size="md">
      <p className="breaks">{role.description}</p>
      {read.error ? (
        <Problem error={read.error} again={() => void read.refetch()} />
      ) : !read.data || read.isPlaceholderData ? (
        <Waiting />
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>May</Table.Th>
              <Table.Th>Where</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {read.data.permissions.map(({ name, environment }) => (
              <Table.Tr key={`${name} ${environment ?? ""}`}>
                <Table.Td className="breaks">
                  <span title={name}>{permissionName(name)}</span>
                </Table.Td>
                <Table.Td>
                  {environment ? (
                    <EnvironmentName
                      name={environment}
                      type={environments.find((one) => one.name === environment)?.type}
                    />
                  ) : (
                    "everywhere in the project"
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
            {read.data.permissions.length === 0 && (
              <Table.Tr>
                <Table.Td colSpan={2}>Nothing.</Table.Td>
              </Table.Tr>
            )}
          </Table.Tbody>
        </Table>
      )}
    </Drawer>
  );
}

interface UserProps {
  projectId: string;
  holder: Holder;
  onClose: () => void;
}

/** What one person may do here by all roles and groups together. */
export function UserDrawer({ projectId, holder, onClose }: UserProps) {
  const environments = useEnvironments();
  const [environment, setEnvironment] = useState<string | null>(null);
  const read = useRead(
    request("get", "/api/admin/user-admin/{id}/permissions", {
      params: { path: { id: holder.id }, query: { project: projectId, environment: environment ?? undefined } },
    }),
  );
  const overview = read.data?.overview;
  return (
    <Drawer opened onClose={onClose} title={`What ${holder.name} may do in ${projectId}`} size="md">
      <Stack gap="md">
        <Select
          label="In the environment"
          placeholder="In every one"
          clearable
          clearButtonProps={{ "aria-label": "In every environment" }}
          data={environments.map(environmentOption)}
          value={environment}
          onChange={setEnvironment}
        />
        {read.error ? (
          <Problem error={read.error} again={() => void read.refetch()} />
        ) : !overview ? (
          <Waiting />
        ) : (
          <>
            <p className="breaks">
              {read.data?.rootRole.name} in the whole instance
              {read.data?.projectRoles.length
                ? `, ${read.data.projectRoles.map(({ name }) => name).join(", ")} here`
                : ""}
              .
            </p>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Permission</Table.Th>
                  <Table.Th>Has it</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {[...overview.project, ...overview.environment].map(({ name, hasPermission }) => (
                  <Table.Tr key={name}>
                    <Table.Td className="breaks">
                      <span title={name}>{permissionName(name)}</span>
                    </Table.Td>
                    <Table.Td className={hasPermission ? "good" : "muted"}>{hasPermission ? "✓ yes" : "✗ no"}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </>
        )}
      </Stack>
    </Drawer>
  );
}

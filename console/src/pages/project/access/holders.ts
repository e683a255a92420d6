import { useState } from "react";
import { useWhyNot } from "../../../api/queries";
import { request, type Planned, type Schemas } from "../../../api/request";
import { useAct } from "../../../parts/act";

/** A person or a group with roles in a project. */
export interface Holder {
  kind: "user" | "group";
  id: number;
  name: string;
  roles: number[];
  members: number;
  addedAt: string | null | undefined;
}

export const holdersOf = ({ users, groups }: Pick<Schemas["ProjectAccess"], "users" | "groups">): Holder[] => [
  ...groups.map(({ id, name, roles, users: members, addedAt }) => ({
    kind: "group" as const,
    id,
    name,
    roles,
    members: members.length,
    addedAt,
  })),
  ...users.map(({ id, name, username, email, roles, addedAt }) => ({
    kind: "user" as const,
    id,
    name: name || username || email || `user ${id}`,
    roles,
    members: 1,
    addedAt,
  })),
];

/** Sets the roles that somebody holds. Without any they are no longer in the project. */
export function rolesOf(projectId: string, { kind, id }: Pick<Holder, "kind" | "id">, roles: number[]): Planned {
  if (kind === "group") {
    const params = { path: { projectId, groupId: id } };
    return roles.length
      ? request("put", "/api/admin/projects/{projectId}/groups/{groupId}/roles", { params, body: { roles } })
      : request("delete", "/api/admin/projects/{projectId}/groups/{groupId}/roles", { params });
  }
  const params = { path: { projectId, userId: id } };
  return roles.length
    ? request("put", "/api/admin/projects/{projectId}/users/{userId}/roles", { params, body: { roles } })
    : request("delete", "/api/admin/projects/{projectId}/users/{userId}/roles", { params });
}

export function useRoles(projectId: string, holder: Holder) {
  const { act, busy } = useAct();
  const removal = rolesOf(projectId, holder, []);
  const refusal = useWhyNot()(removal);
  // A box moves at once, and falls back when it is refused.
  const [wanted, setWanted] = useState<number[]>();
  async function set(roles: number[], done: string) {
    setWanted(roles);
    const outcome = await act({
      request: rolesOf(projectId, holder, roles),
      done,
      // Roles that were taken as a whole are given anew.
      undo: roles.length
        ? rolesOf(projectId, holder, holder.roles)
        : request("post", "/api/admin/projects/{projectId}/access", {
            params: { path: { projectId } },
            body: {
              roles: holder.roles,
              users: holder.kind === "user" ? [holder.id] : [],
              groups: holder.kind === "group" ? [holder.id] : [],
            },
          }),
    });
    await outcome?.refreshed;
    setWanted(undefined);
  }
  const takeAll = () => set([], `${holder.name} has no role in ${projectId} any more.`);
  return { held: wanted ?? holder.roles, set, takeAll, refusal, busy, removal };
}

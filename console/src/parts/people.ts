import { useRead } from "../api/queries";
import { request, type Schemas } from "../api/request";
import type { Tab } from "./area/Area";
import { AccessRequestCount } from "./AccessRequestCount";

type Named = { id: number; name?: string; username?: string; email?: string };

/** How somebody is called. */
export const nameOf = ({ name, username, email, id }: Named) => name || username || email || `user ${id}`;

/** The same, with what tells two of one name apart. */
export const fullNameOf = (person: Named) => {
  const shown = nameOf(person);
  const other = [person.username, person.email].filter((text) => text && text !== shown)[0];
  return other ? `${shown} (${other})` : shown;
};

/** What sets a user or a group apart from most, if anything does. */
export const standingOf = ({ active, scimId }: { active?: boolean; scimId?: string }) =>
  [active === false && "deactivated", scimId && "kept by a directory"].filter(Boolean).join(", ");

export const isRootRole = ({ type }: Pick<Schemas["Role"], "type">) => type === "root" || type === "root-custom";

const noRoles: readonly Schemas["Role"][] = [];

/** All roles, of the instance and of projects. */
export const useRoles = () => useRead(request("get", "/api/admin/roles"), { staleTime: 60_000 }).data?.roles ?? noRoles;

/** Roles that somebody can have in the whole instance. */
export const useRootRoles = () => useRoles().filter(isRootRole);

export const peopleTabs: readonly Tab[] = [
  { label: "Users", to: "/people/users" },
  { label: "Service accounts", to: "/people/programs" },
  { label: "Groups", to: "/people/groups" },
  { label: "Roles", to: "/people/roles" },
  { label: "Invites", to: "/people/invites" },
  { label: "Access requests", to: "/people/access-requests", Count: AccessRequestCount },
  { label: "Active sessions", to: "/people/sessions" },
  { label: "Inactive", to: "/people/inactive" },
  { label: "Access", to: "/people/access" },
];

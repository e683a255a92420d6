import type { Schemas } from "../../api/request";

type Role = Pick<Schemas["Role"], "id" | "name">;
type Group = Pick<Schemas["GroupOverview"], "name" | "rootRole" | "userIds">;
type Person = Pick<Schemas["UserEntry"], "id" | "rootRole">;

/** A role that somebody holds, and through which group where it is not given to them by themselves. */
export interface Holding {
  role: number;
  group?: string;
}

/** Roles in the whole instance. */
export function rootHoldings(person: Person, groups: readonly Group[]): Holding[] {
  const through = groups.filter(({ rootRole, userIds }) => rootRole !== undefined && userIds.includes(person.id));
  return [{ role: person.rootRole }, ...through.map(({ rootRole, name }) => ({ role: rootRole!, group: name }))];
}

/** Roles in one project. */
export function projectHoldings(person: Person, access: Schemas["ProjectAccess"]): Holding[] {
  const own = access.users.filter(({ id }) => id === person.id).flatMap(({ roles }) => roles.map((role) => ({ role })));
  const through = access.groups
    .filter(({ users }) => users.some(({ user }) => user.id === person.id))
    .flatMap(({ roles, name }) => roles.map((role) => ({ role, group: name })));
  return [...own, ...through];
}

export const inWords = ({ role, group }: Holding, roles: ReadonlyMap<number, string>) =>
  `${roles.get(role) ?? `role ${role}`}${group ? ` through ${group}` : ""}`;

export interface Asked {
  permission: string;
  environment?: string;
}

/** Which of the roles that somebody holds allow this; none where the server knows more than roles tell. */
export function sourcesOf(
  { permission, environment }: Asked,
  holdings: readonly Holding[],
  granted: ReadonlyMap<number, readonly { name: string; environment?: string }[]>,
): Holding[] {
  return holdings.filter(({ role }) =>
    granted
      .get(role)
      ?.some(
        ({ name, environment: only }) =>
          name === "ADMIN" || (name === permission && (only === undefined || only === environment)),
      ),
  );
}

export interface Row {
  person: Person & { name: string; email: string };
  root: Holding[];
  projects: { id: string; holdings: Holding[] }[];
}

/** Rows of the table for an audit: one for each role that somebody holds, wherever. */
export function auditRows(rows: readonly Row[], roles: readonly Role[]): string[][] {
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  const line = ({ person }: Row, where: string, { role, group }: Holding) => [
    person.name,
    person.email,
    where,
    names.get(role) ?? String(role),
    group ?? "",
  ];
  return [
    ["person", "email", "project", "role", "through group"],
    ...rows.flatMap((row) => [
      ...row.root.map((holding) => line(row, "*", holding)),
      ...row.projects.flatMap(({ id, holdings }) => holdings.map((holding) => line(row, id, holding))),
    ]),
  ];
}

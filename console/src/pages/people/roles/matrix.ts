import type { Schemas } from "../../../api/request";

type Permission = Schemas["RolePermission"];

/** A permission as a role holds it: everywhere, or in one environment. */
export const grant = (name: string, environment?: string) => (environment ? `${name}@${environment}` : name);

export const parseGrant = (text: string) => {
  const at = text.indexOf("@");
  return at < 0 ? { name: text } : { name: text.slice(0, at), environment: text.slice(at + 1) };
};

export interface Area {
  label: string;
  permissions: Permission[];
}

const areas: [string, RegExp][] = [
  ["Feature flags", /FEATURE(?!.*(STRATEGY|ENVIRONMENT|VARIANTS))/],
  ["Switches, strategies and variants", /FEATURE/],
  ["Change requests", /CHANGE_REQUEST/],
  ["API tokens", /API_TOKEN/],
  ["People", /ROLE|USER_ACCESS/],
  ["Segments", /SEGMENT/],
  ["Context fields, tag types, strategy types", /CONTEXT_FIELD|TAG_TYPE|^(CREATE|UPDATE|DELETE)_STRATEGY$/],
  ["Projects", /PROJECT/],
  ["Applications and others", /./],
];

/** Permissions by what they are about, each in the first area that fits. */
export function byArea(permissions: readonly Permission[]): Area[] {
  const found = areas.map(([label]) => ({ label, permissions: [] as Permission[] }));
  for (const permission of permissions) {
    const at = areas.findIndex(([, fits]) => fits.test(permission.name));
    found[at]!.permissions.push(permission);
  }
  return found.filter((area) => area.permissions.length > 0);
}

/** What can be given in a role of a type, and where each may count. */
export function grantable(all: Schemas["PermissionsByType"], inProjects: boolean): Permission[] {
  const environments = new Map<string, Permission>();
  for (const { permissions } of all.environments) {
    for (const permission of permissions) environments.set(permission.name, permission);
  }
  const shared = [...all.project, ...environments.values()];
  return inProjects ? shared : [...all.root, ...shared];
}

/** No operation asks for these. */
export const idle = /RELEASE_(PLAN_)?TEMPLATE|^PROJECT_(SETTINGS|DEFAULT_STRATEGY|CHANGE_REQUEST)_READ$/;

/** Permissions that do something, and those that the role has already. */
export function offered(permissions: readonly Permission[], grants: readonly string[]): Permission[] {
  const held = new Set(grants.map((one) => parseGrant(one).name));
  return permissions.filter(({ name }) => !idle.test(name) || held.has(name));
}

/** Switching a permission on everywhere makes those of single environments pointless. */
export function toggled(
  grants: readonly string[],
  name: string,
  environment: string | undefined,
  on: boolean,
): string[] {
  const wanted = grant(name, environment);
  const kept = grants.filter(
    (one) => one !== wanted && !(on && environment === undefined && parseGrant(one).name === name),
  );
  return (on ? [...kept, wanted] : kept).sort();
}

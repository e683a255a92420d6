import { permissionName } from "../words/permissions";
import type { Schemas } from "./request";
import type { Operation, Planned } from "./request";

export interface Place {
  project?: string;
  environment?: string;
}

/** What somebody may do, and where. */
export type Held = readonly Schemas["OwnPermission"][];

/** Nothing when these permissions allow the operation there, otherwise the reason in a sentence. */
export function refusalFor(held: Held, operation: Operation, place: Place): string | undefined {
  if (!operation.needs.length || held.some(({ permission }) => permission === "ADMIN")) return undefined;
  const isEnough = ({ permission, scope }: Operation["needs"][number]) =>
    held.some(
      (own) =>
        own.permission === permission &&
        (scope === "root" || !own.project || own.project === "*" || own.project === place.project) &&
        (scope !== "environment" || !own.environment || own.environment === place.environment),
    );
  if (operation.needs.some(isEnough)) return undefined;
  return needed(
    operation.needs.map(({ permission }) => permission),
    operation.needs[0]?.scope === "root"
      ? {}
      : operation.needs[0]?.scope === "project"
        ? { project: place.project }
        : place,
  );
}

/** "Needs “Create strategies” or “Update strategies” in production of webshop." */
export function needed(permissions: readonly string[], { project, environment }: Place): string {
  const where = [environment, project].filter(Boolean).join(" of ");
  return `Needs ${permissions.map((one) => `“${permissionName(one)}”`).join(" or ")}${where ? ` in ${where}` : ""}. Ask ${project ? `an owner of ${project}, or ` : ""}an administrator.`;
}

export const placeOf = (params: Record<string, unknown> | undefined): Place => ({
  project: params?.projectId as string | undefined,
  environment: params?.environment as string | undefined,
});

/** The same call, where what it is about decides which permission is enough. */
export function needing<A>(planned: Planned<A>, ...permissions: string[]): Planned<A> {
  const needs = permissions.map((permission) => ({ permission, scope: "root" as const }));
  return { ...planned, operation: { ...planned.operation, needs } };
}

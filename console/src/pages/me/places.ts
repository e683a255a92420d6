import type { Schemas } from "../../api/request";

interface Allowed {
  place: string;
  allowed: string[];
}

/** Permissions by where they count, everywhere first. */
export function placesOf(permissions: readonly Schemas["OwnPermission"][]): Allowed[] {
  const found = new Map<string, string[]>();
  for (const { permission, project, environment } of permissions) {
    const place =
      !project || project === "*"
        ? environment
          ? `In ${environment} of every project`
          : "Everywhere"
        : environment
          ? `In ${environment} of ${project}`
          : `In ${project}`;
    found.set(place, [...(found.get(place) ?? []), permission]);
  }
  return [...found]
    .map(([place, allowed]) => ({ place, allowed: [...new Set(allowed)].sort() }))
    .sort(
      (one, other) =>
        Number(other.place === "Everywhere") - Number(one.place === "Everywhere") ||
        one.place.localeCompare(other.place),
    );
}

import { request, type Schemas } from "../api/request";

/** The directories in addition to the default one. */
export const readDirectories = request("get", "/api/admin/scim-settings/directories");

type Entry = Schemas["ScimDirectoryEntry"];

/** Which directory a user or a group belongs to, as the API tells. */
export type Managed = Pick<Schemas["User"], "scimId" | "scimLinked" | "scimDirectory">;

export interface Choice {
  /** Absent for the default directory. */
  id?: number;
  name: string;
}

const defaultDirectory: Choice = { name: "the default directory" };

/** The name of a directory in a sentence; without an id, that of the default one. */
export function directoryName(id: number | undefined, entries: readonly Entry[] | undefined): string {
  if (id === undefined) return defaultDirectory.name;
  return entries?.find(({ directory }) => directory.id === id)?.directory.name ?? "a directory";
}

/** Directories that a user or a group can be linked to: all but the one that it is linked to already. */
export const linkable = ({ scimLinked, scimDirectory }: Managed, entries: readonly Entry[]): Choice[] =>
  [defaultDirectory, ...entries.map(({ directory: { id, name } }): Choice => ({ id, name }))].filter(
    ({ id }) => !scimLinked || id !== scimDirectory,
  );

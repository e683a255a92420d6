// Writes what the console knows of the API: the types of every operation, and what each asks of its caller.
// All of it comes from the published document, so nothing here is committed.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const published = new URL("../../openapi/", import.meta.url);
const generated = new URL("../src/api/generated/", import.meta.url);
const document = JSON.parse(await readFile(new URL("flagstone.json", published), "utf8"));

await mkdir(generated, { recursive: true });
const types = astToString(await openapiTS(new URL("flagstone.json", published)));
await writeFile(new URL("schema.d.ts", generated), types);

const listed = permissionsOf(await readFile(new URL("operations.md", published), "utf8"));
const operations = {};
for (const [path, item] of Object.entries(document.paths)) {
  for (const [method, operation] of Object.entries(item)) {
    if (!operation.operationId) continue;
    const needs =
      operation["x-permission"]?.map(({ permission, scope }) => ({ permission, scope })) ??
      listed[operation.operationId] ??
      [];
    operations[`${method.toUpperCase()} ${path}`] = [
      operation.operationId,
      operation.tags[0],
      operation.summary,
      needs,
    ];
  }
}
await writeFile(
  new URL("operations.ts", generated),
  `export type Scope = "root" | "project" | "environment";
export type Needs = { permission: string; scope: Scope }[];
/** Operation id, tag, summary, and the permissions one of which is enough, by method and path. */
export const operations: Record<string, [string, string, string, Needs]> = ${JSON.stringify(operations)} as never;
export const eventTypes: readonly string[] = ${JSON.stringify(document.components.schemas.EventType.enum)};
`,
);
console.log(`${fileURLToPath(generated)}: ${Object.keys(operations).length} operations`);

// The table says `A` or `B` in the project, or "any caller".
function permissionsOf(table) {
  const permissions = {};
  for (const line of table.split("\n")) {
    const [, , , operation, who] = line.split("|").map((cell) => cell.trim());
    if (!who) continue;
    const scope = / in the environment/.test(who) ? "environment" : / in /.test(who) ? "project" : "root";
    permissions[operation] = [...who.matchAll(/`([A-Z_]+)`/g)].map(([, permission]) => ({ permission, scope }));
  }
  return permissions;
}

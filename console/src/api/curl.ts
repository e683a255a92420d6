import { root } from "./client";
import { blanked } from "./recorder";
import { addressOf, type Planned } from "./request";

/** One word for a POSIX shell, whatever it holds. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The call as a command: a script can do what a click does. `$TOKEN` stands for the reader's own. */
export function curl(planned: Planned): string {
  const parts = [`curl -sS -X ${planned.method} -H "Authorization: $TOKEN"`];
  for (const [name, value] of Object.entries(planned.init.params?.header ?? {}))
    if (typeof value === "string") parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (planned.init.body !== undefined)
    parts.push(`--json ${quoted(JSON.stringify(blanked(planned.init.body, planned.secrets)))}`);
  parts.push(quoted(root + addressOf(planned)));
  return parts.join(" \\\n  ");
}

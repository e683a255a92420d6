import { permissionName } from "./permissions";
import { counted, number } from "./counts";

/** What the parts of a body are called in its form. */
const labels: Record<string, string> = {
  appName: "application",
  contextName: "context field",
  groupId: "group ID",
  tokenName: "name",
  discoverUrl: "discovery URL",
  graphUrl: "Microsoft Graph URL",
  groupJsonPath: "groups claim",
  groupsPath: "groups claim",
  serverUrl: "server URL",
  signOnUrl: "single sign-on URL",
  signOutUrl: "single logout URL",
  spCertificate: "service provider key",
  legalValues: "values",
  username: "user name",
  newProjectId: "project",
  projectId: "project",
};

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const spaced = (name: string) =>
  labels[name] ?? name.replace(/([a-z])([A-Z])/g, (_, end: string, begin: string) => `${end} ${begin.toLowerCase()}`);

function place(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && !["body", "query", "path", "header"].includes(part));
  const found: string[] = [];
  for (const part of parts) {
    const before = found.at(-1);
    if (/^\d+$/.test(part) && before !== undefined)
      found[found.length - 1] = `${before.replace(/s$/, "")} ${Number(part) + 1}`;
    else found.push(spaced(part));
  }
  return found.join(", ");
}

/** "constraints/0/value" as "Constraint 1, value". */
export const placeInWords = (path: string): string => capital(place(path));

const pointer = /\/(?:body|query|path|header)(?:\/[\w~.-]*\w)?/g;

/** A text of the API without what is meant for machines: pointers, names of permissions and operations, and quotes of code. */
export const plain = (text: string): string =>
  text
    .replace(/^\/(?:body|query)\/[\w/]+(?=:)/, (path) => placeInWords(path))
    .replace(pointer, (path) => (place(path) ? `“${place(path)}”` : "the request"))
    .replace(/["`]?\b([A-Z]{2,}(?:_[A-Z]+)+)\b["`]?/g, (_, name: string) => `“${permissionName(name)}”`)
    .replaceAll("`", "")
    .replace(/ \([a-z]+(?:[A-Z][a-z]+)+\)/g, "");

/** The rule of texts that can be parts of addresses: in a sentence, and beside the field. */
export const ofAddresses = {
  rule: "may have letters, digits and - _ . ~ only",
  beside: "Letters, digits, - _ . ~ only.",
};
const ofId = "must be an id, such as 0b8f3c52-6b7e-4c7e-9a52-2f5a1f1b2c3d";

/** What the patterns of the API's bodies ask for, each by how it begins. */
const patterns: readonly (readonly [string, string])[] = [
  ["^[A-Za-z0-9_.!~*'()-]", ofAddresses.rule],
  ["^[a-zA-Z0-9~_.-]", ofAddresses.rule],
  ["^[A-Za-z0-9_~.-]", ofAddresses.rule],
  ["^[A-Za-z0-9._~-]", ofAddresses.rule],
  ["^[A-Za-z0-9_-]", "may have letters, digits, - and _ only"],
  ["^[a-z0-9]([a-z0-9-]", "may have lowercase letters, digits and, between them, - only"],
  ["\\S", "must not be empty"],
  ["^([hH]", "must be an address that begins with https://, or with http:// for a server on the same computer"],
  ["^([aA]", "must be admin, client, backend or frontend"],
  ["^([A-Za-z0-9_]+(::", "must be off, error, warn, info, debug or trace, or parts such as info,flagstone::sql=trace"],
  ["^/(", "cannot be changed in this way"],
  ["^(parent|child)$", "must be parent or child"],
  ["^(Draft|In review", "must be draft, in review, approved, scheduled, applied, cancelled or rejected"],
  ["^(([01][0-9]", "must be a time of day, such as 18:30, or 24:00"],
  ["^([01][0-9]", "must be a time of day, such as 18:30"],
  ["^[0-9a-fA-F]{8}(-", ofId],
  ["^[0-9a-fA-F]{8}-", ofId],
  ["^[0-9A-Fa-f]{8}(-", ofId],
];

const types: Record<string, string> = {
  string: "a text",
  integer: "a whole number",
  number: "a number",
  boolean: "on or off",
  array: "a list",
  object: "a group of values",
  null: "empty",
};

const formats: Record<string, string> = {
  "date-time": "a date and time, such as 2027-01-31T12:00:00Z",
  date: "a day, such as 2027-01-31",
  uuid: "an id, such as 0b8f3c52-6b7e-4c7e-9a52-2f5a1f1b2c3d",
  email: "an email, such as name@example.com",
  uri: "an address, such as https://example.com",
};

/** "a, b or c" */
const oneOf = (names: readonly string[]) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;

const without = "does not have the form that is asked for";

type Say = (...found: string[]) => string;

const rules: readonly (readonly [RegExp, Say])[] = [
  [/^is required$/, () => "is missing"],
  [/^is not a known property$/, () => "is not known to this server"],
  [/^must be of type (.*)$/, (kinds) => `must be ${oneOf(kinds.split(" or ").map((kind) => types[kind] ?? kind))}`],
  [
    /^must be one of (["\d].*)$/,
    (names) => `must be ${oneOf(names.split(", ").map((name) => name.replaceAll('"', "")))}`,
  ],
  [/^must have at least 1 (?:characters|items|properties)$/, () => "must not be empty"],
  [
    /^must have at (least|most) (\d+) characters$/,
    (bound, count) => `must have at ${bound} ${counted(Number(count), "character")}`,
  ],
  [
    /^must have at (least|most) (\d+) (?:items|properties)$/,
    (bound, count) => `must have at ${bound} ${count === "1" ? "one entry" : `${number(Number(count))} entries`}`,
  ],
  [/^must be at (least|most) (-?[\d.]+)$/, (bound, count) => `must be at ${bound} ${number(Number(count))}`],
  [/^must be a multiple of 1(?:\.0)?$/, () => "must be a whole number"],
  [/^must be a valid ([\w-]+)$/, (format) => (formats[format] ? `must be ${formats[format]}` : without)],
  [/^does not fit its schema$/, () => without],
  [/^must be URL friendly$/, () => ofAddresses.rule],
  [
    /^must match the pattern (.*)$/s,
    (pattern) => patterns.find(([begin]) => pattern.startsWith(begin))?.[1] ?? without,
  ],
  [
    /^must match the naming pattern of the project, "[^]*?"(?:, such as "([^"]*)")?\.?(?: It means: "([^]*?)"\.?)?$/,
    (example, meaning) =>
      `must follow the naming rule of the project${meaning ? `: ${meaning}` : ""}${example ? `, such as ${example}` : ""}`,
  ],
  [/^does not fit the operator: the constraint needs a date.*$/, () => `must be ${formats["date-time"]}`],
  [/^does not fit the operator: the constraint needs a number.*$/, () => "must be a number"],
  [
    /^does not fit the operator: the constraint needs a (?:semantic )?version.*$/i,
    () => "must be a version, such as 1.2.3",
  ],
  [
    /^does not fit the operator: the constraint needs a regular expression.*$/,
    () =>
      "must be a pattern that all SDKs read alike: without look-around, references to groups, a backslash at its end, or many repetitions within others",
  ],
  [/^does not fit the operator: the constraint (.*)$/, (rest) => `does not fit the operator: it ${plain(rest)}`],
];

/** What is asked of a field, or wrong with it, in words: the rule without the field. */
export function ruleInWords(rule: string): string {
  for (const [fits, say] of rules) {
    const found = fits.exec(rule);
    if (found) return say(...found.slice(1).map((part) => part ?? ""));
  }
  return plain(rule);
}

/** The place that a message of the API is about, and its rule. */
function partsOf(message: string): { path: string; rule: string } | undefined {
  const [, path, rule] = /^The (\/\S*) property ([^]*?)\.?$/.exec(message) ?? [];
  if (path !== undefined && rule !== undefined) return { path, rule };
  const [, parameter, broken] = /^The path parameter `(\w+)` ([^]*?)\.?$/.exec(message) ?? [];
  return parameter === undefined || broken === undefined ? undefined : { path: `/path/${parameter}`, rule: broken };
}

export const pathOf = (message: string): string | undefined =>
  partsOf(message)?.path ?? /^(\/body\/[\w/]+):/.exec(message)?.[1];

/** One finding of the API as a sentence for people: its field by name, the rule in words. */
export function sentence(message: string): string {
  const parts = partsOf(message);
  return parts ? `${placeInWords(parts.path) || "It"} ${ruleInWords(parts.rule)}.` : plain(message);
}

/** The same beside its field, which needs no name there. */
export function besideField(message: string, field: string): string {
  const parts = partsOf(message);
  if (!parts) return plain(message.replace(`${field}: `, ""));
  if (parts.path !== field) return sentence(message);
  const rule = ruleInWords(parts.rule);
  return rule === ofAddresses.rule ? ofAddresses.beside : `${capital(rule)}.`;
}

import type { components } from "../api/generated/schema";

type ApiError = Pick<components["schemas"]["ApiError"], "name" | "message" | "details">;

/** What kinds of refusals are called; the API's own name stands under "Details". */
const titles: Record<string, string> = {
  ContextFieldInUseError: "The context field is in use",
  DisabledError: "This is switched off",
  ExceedsLimitError: "A limit is reached",
  InternalError: "The server failed",
  InvalidOperationError: "This is not possible as things are",
  InvalidTokenError: "The link or token is not valid",
  LastAdministratorError: "Somebody must stay an administrator",
  LegalValueInUseError: "The value is in use",
  LoginProviderError: "The login provider did not answer as it should",
  MaintenanceError: "The server is in maintenance",
  MethodNotAllowedError: "This is not supported",
  NameExistsError: "This name is taken",
  NotAdmittedError: "You may not sign in here",
  PasswordMismatch: "The user name or the password is wrong",
  PatternError: "The name does not have the form that is asked for",
  PayloadTooLargeError: "This is too large",
  SegmentInUseError: "The segment is in use",
  SignInRefusedError: "Signing in was refused",
  SignInStateError: "Signing in took too long, or was begun elsewhere",
  StrategyInUseError: "The strategy type is in use",
  TagTypeInUseError: "The tag type is in use",
  UnavailableError: "The server is not ready",
  ValidationError: "Some of it cannot be saved as it is",
};

export const titleOf = (name: string): string => titles[name] ?? "The server refused it";

/** The pattern of texts that can stand in an address, as the API writes it. */
const inAddresses = /^\^\[[^\]]*A-Z[^\]]*\]/;

const rules: [RegExp, (found: string[]) => string][] = [
  [
    /^must match the pattern (.*)$/,
    ([, pattern = ""]) =>
      inAddresses.test(pattern)
        ? "may have letters, digits and . _ ~ ! * ' ( ) - only, without blanks"
        : "does not have the form that is asked for",
  ],
  [
    /^does not fit the operator: the constraint needs a date.*$/,
    () => "must be a date and time, such as 2027-01-31T12:00:00Z",
  ],
  [/^does not fit the operator: the constraint needs a number.*$/, () => "must be a number"],
  [
    /^does not fit the operator: the constraint needs a (?:semantic )?version.*$/i,
    () => "must be a version, such as 1.2.3",
  ],
  [/^does not fit the operator: (.*)$/, ([, rest = ""]) => `does not fit the operator: ${plain(rest)}`],
  [/^does not fit: (.*)$/, ([, rest = ""]) => `does not fit: ${plain(rest)}`],
];

const plain = (text: string) => text.replaceAll("`", "");

/** What the parts of a body are called in its form. */
const labels: Record<string, string> = {
  appName: "application",
  contextName: "context field",
  groupId: "group ID",
  tokenName: "name",
  discoverUrl: "discovery URL",
  legalValues: "values",
};

const spaced = (name: string) =>
  labels[name] ?? name.replace(/([a-z])([A-Z])/g, (_, end: string, begin: string) => `${end} ${begin.toLowerCase()}`);

/** "constraints/0/value" as "constraint 1, value". */
export function placeInWords(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && !["body", "query", "path", "header"].includes(part));
  const found: string[] = [];
  for (const part of parts) {
    const before = found.at(-1);
    if (/^\d+$/.test(part) && before !== undefined)
      found[found.length - 1] = `${before.replace(/s$/, "")} ${Number(part) + 1}`;
    else found.push(spaced(part));
  }
  const text = found.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** One finding of the API as a sentence for people: its field by name, the rule in words. */
export function sentence(message: string): string {
  const [, path, rule] = /^The (\/\S*) property (.*?)\.?$/s.exec(message) ?? [];
  if (path === undefined || rule === undefined) return plain(message);
  for (const [fits, say] of rules) {
    const found = fits.exec(rule);
    if (found) return `${placeInWords(path)} ${say(found)}.`;
  }
  return `${placeInWords(path) || "It"} ${plain(rule)}.`;
}

/** What a refusal says, without the words that are meant for machines. */
export function linesOf({ message, details = [] }: ApiError): string[] {
  const said = details.length ? details.map((detail) => detail.message) : [message];
  return [...new Set(said.map(sentence))];
}

import type { Schemas } from "../../api/request";
import { same } from "../conflict/merge";
import { takesOneValue } from "./audience";

type Constraint = Schemas["Constraint"];

const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const label = "(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)";
const version = new RegExp(
  `^(\\d+)\\.(\\d+)\\.(\\d+)(?:-(${label}(?:\\.${label})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);
const mostOfOne = 1000;
const mostOfSeveral = 100;
const mostOfVersion = 256;

const lengthOf = (text: string) => [...text].length;

/** Whether every number of it is one that programs in JavaScript read exactly, and none begins with 0. */
function isVersion(text: string): boolean {
  const [, ...parts] = version.exec(text) ?? [];
  const numbers = [...parts.slice(0, 3), ...(parts[3]?.split(".") ?? []).filter((part) => /^\d+$/.test(part))];
  const isExact = (part = "") => part === "0" || (!part.startsWith("0") && Number.isSafeInteger(Number(part)));
  return parts.length > 0 && text.length <= mostOfVersion && numbers.every(isExact);
}

/** What is wrong with the values of an operator that takes several. */
function listObjection(values: readonly string[], legal: readonly string[]): string | undefined {
  if (values.length === 0) return "A value is missing.";
  const found = (isWrong: (value: string) => boolean) => values.find(isWrong);
  const long = found((value) => lengthOf(value) > mostOfSeveral);
  if (long !== undefined) return `“${long.slice(0, 20)}…” is longer than ${mostOfSeveral} characters.`;
  const open = found((value) => value.trimEnd().endsWith("\\"));
  if (open !== undefined) return `“${open}” ends with a backslash, which some SDKs cannot read.`;
  const illegal = found((value) => legal.length > 0 && !legal.includes(value.trim()));
  if (illegal !== undefined) return `“${illegal}” is none of the values of this field.`;
  return undefined;
}

/** What is wrong with what an operator compares with, as it is typed; `legal` are the only values of the field. */
export function valueObjection(
  { operator, value, values }: Pick<Constraint, "operator" | "value" | "values">,
  legal: readonly string[] = [],
): string | undefined {
  if (!takesOneValue(operator)) return listObjection(values ?? [], legal);
  const text = (value ?? "").trim();
  if (text === "") return "A value is missing.";
  if (lengthOf(text) > mostOfOne) return `This is longer than ${mostOfOne} characters.`;
  if (operator.startsWith("NUM_") && !(number.test(text) && Number.isFinite(Number(text)))) return "This is no number.";
  if (operator.startsWith("DATE_") && Number.isNaN(Date.parse(text))) return "This is no date and time.";
  if (operator.startsWith("SEMVER_") && !isVersion(text)) return "This is no version, such as 1.2.3.";
  return undefined;
}

/** Why constraints cannot be saved, each with its field. What was stored before stays as it is. */
export const constraintObjections = (
  constraints: readonly Constraint[],
  stored: readonly Constraint[] = [],
): string[] =>
  changed(constraints, stored).flatMap((constraint) => {
    const wrong = valueObjection(constraint);
    return wrong
      ? [`The constraint on ${constraint.contextName}: ${wrong.charAt(0).toLowerCase()}${wrong.slice(1)}`]
      : [];
  });

/** Those that were not stored before. */
export const changed = (constraints: readonly Constraint[], stored: readonly Constraint[]) =>
  constraints.filter((constraint) => !stored.some((one) => same(one, constraint)));

/** The only field that dates are compared with: some SDKs take the time whatever the field. */
export const clock = "currentTime";

const isDate = (operator: Constraint["operator"]) => operator.startsWith("DATE_");

/** The same constraint on another field, with an operator that fits it. */
export function ofField({ operator }: Pick<Constraint, "operator">, contextName: string): Partial<Constraint> {
  if (contextName === clock) return isDate(operator) ? { contextName } : ofOperator({ contextName }, "DATE_AFTER");
  return isDate(operator) ? { contextName, operator: "IN", value: undefined, values: [] } : { contextName };
}

/** The same constraint by another operator, on a field that fits it. */
export function ofOperator(
  { contextName }: Pick<Constraint, "contextName">,
  operator: Constraint["operator"],
): Partial<Constraint> {
  if (isDate(operator)) return { contextName: clock, operator, value: "", values: [] };
  return contextName === clock ? { contextName: "userId", operator } : { operator };
}

/** Whether all legal values of a field are of a kind, which its operators then compare by. */
const kinds = {
  number: (text: string) => number.test(text),
  version: isVersion,
};

/** The kind of what a field holds, as far as its legal values tell. */
export function kindOf(contextName: string, legal: readonly string[]): "date" | "number" | "version" | "text" {
  if (contextName === clock) return "date";
  if (legal.length === 0) return "text";
  if (legal.every(kinds.number)) return "number";
  return legal.every(kinds.version) ? "version" : "text";
}

/** Fields by which users are told apart come first, and the time last. */
export function orderOfFields(names: readonly string[], chosen: string): string[] {
  const users = ["userId", ...["sessionId", "remoteAddress"].filter((name) => names.includes(name))];
  const others = [...names, chosen].filter((name) => name !== clock);
  return [...new Set([...users, ...others, clock])];
}

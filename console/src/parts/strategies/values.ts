import type { Schemas } from "../../api/request";
import { takesOneValue } from "./audience";

type Constraint = Schemas["Constraint"];

const version = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** What is wrong with the value of an operator that takes one, as it is typed. */
export function valueObjection({ operator, value = "" }: Pick<Constraint, "operator" | "value">): string | undefined {
  const text = (value ?? "").trim();
  if (!takesOneValue(operator)) return undefined;
  if (text === "") return "A value is missing.";
  if (operator.startsWith("NUM_") && !Number.isFinite(Number(text))) return "This is no number.";
  if (operator.startsWith("DATE_") && Number.isNaN(Date.parse(text))) return "This is no date and time.";
  if (operator.startsWith("SEMVER_") && !version.test(text)) return "This is no version, such as 1.2.3.";
  return undefined;
}

/** Why constraints cannot be saved, each with the field that it is about. */
export const constraintObjections = (constraints: readonly Constraint[]): string[] =>
  constraints.flatMap((constraint) => {
    const wrong = valueObjection(constraint);
    return wrong
      ? [`The constraint on ${constraint.contextName}: ${wrong.charAt(0).toLowerCase()}${wrong.slice(1)}`]
      : [];
  });

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

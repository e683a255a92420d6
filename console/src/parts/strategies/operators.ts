import type { Schemas } from "../../api/request";
import { inWords, operatorNames } from "./audience";
import { kindOf } from "./values";

type Operator = Schemas["Constraint"]["operator"];
type Kind = ReturnType<typeof kindOf>;

const titles: Record<Kind, string> = { text: "Text", number: "Number", version: "Version", date: "Date and time" };

const kindOfOperator = (operator: Operator): Kind =>
  operator.startsWith("NUM_")
    ? "number"
    : operator.startsWith("SEMVER_")
      ? "version"
      : operator.startsWith("DATE_")
        ? "date"
        : "text";

/** The operators that a field can have, those of its own kind first. The time is compared with dates alone. */
export function operatorsFor(contextName: string, legal: readonly string[]) {
  const own = kindOf(contextName, legal);
  const all: Kind[] = own === "date" ? ["date"] : ["text", "number", "version", "date"];
  return [...new Set([own, ...all])].map((kind) => ({
    group: titles[kind],
    items: operatorNames
      .filter((operator) => kindOfOperator(operator) === kind)
      .map((operator) => ({ value: operator, label: inWords(operator) })),
  }));
}

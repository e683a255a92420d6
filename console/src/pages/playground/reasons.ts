import type { Schemas } from "../../api/request";
import { clock } from "../../parts/strategies/values";

type Result = Schemas["AdvancedPlaygroundResult"];
type Strategy = Result["strategies"]["data"][number];

export type Outcome = boolean | "unknown" | "undecided";

/** What was given for the field of a constraint. Without a time it is the one of the evaluation. */
export function given(contextName: string, context: Result["context"]): string | undefined {
  const value = context[contextName];
  if (value !== undefined && value !== "") return `${contextName} was ${value}`;
  return contextName === clock ? undefined : `${contextName} was not given`;
}

/** Whether the share of a strategy holds: that is not decided where a constraint or a segment does not. */
export function shareOutcome({ constraints, segments, result }: Strategy): Outcome {
  const conditions: boolean[] = [...constraints, ...segments].map((one) => one.result);
  return conditions.every(Boolean) ? result.enabled : "undecided";
}

/** Flags whose name holds a text. */
export function named<F extends { name: string }>(features: readonly F[], text: string): F[] {
  const wanted = text.trim().toLowerCase();
  return features.filter(({ name }) => name.toLowerCase().includes(wanted));
}

/** So many projects are asked at once, where all of them are meant: each of them brings all of its flags. */
const projectsPerPage = 10;

/** The projects of a page, in the order of their ids; nothing where all of them fit one. */
export function pageOf(ids: readonly string[], page: number) {
  const pages = Math.ceil(ids.length / projectsPerPage);
  if (pages <= 1) return undefined;
  const at = Math.min(Math.max(0, page), pages - 1);
  const sorted = [...ids].sort((one, other) => one.localeCompare(other));
  return { at, pages, projects: sorted.slice(at * projectsPerPage, (at + 1) * projectsPerPage) };
}

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

/** So many projects, and so many flags, are asked at once at most, where all projects are meant. */
const atMost = { projects: 10, flags: 500 };

type Project = Pick<Schemas["Project"], "id" | "featureCount">;

/** The projects of a page, in the order of their ids; nothing where all of them fit one. One of many flags has its own. */
export function pageOf(projects: readonly Project[], page: number) {
  const pages: string[][] = [];
  let flags = 0;
  for (const { id, featureCount } of [...projects].sort((one, other) => one.id.localeCompare(other.id))) {
    flags += featureCount;
    const last = pages.at(-1);
    if (last && last.length < atMost.projects && flags <= atMost.flags) last.push(id);
    else {
      pages.push([id]);
      flags = featureCount;
    }
  }
  if (pages.length <= 1) return undefined;
  const at = Math.min(Math.max(0, page), pages.length - 1);
  return { at, pages: pages.length, projects: pages[at]! };
}

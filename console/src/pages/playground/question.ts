import { several, type Search } from "../../api/address";
import type { Schemas } from "../../api/request";

/** What is asked: everything stands in the address, so that its link asks again. */
export interface Question {
  environments: string[];
  /** None means all. */
  projects: string[];
  /** Values of the context by name; several of a field are one context each. */
  context: Record<string, string[]>;
}

type Result = Schemas["AdvancedPlaygroundResult"];

/** Fields of the context that have a place of their own in the body; others are properties. */
export const known = ["userId", "sessionId", "remoteAddress", "currentTime", "appName"] as const;
const isKnown = (name: string): name is (typeof known)[number] => (known as readonly string[]).includes(name);
const property = "property.";

const split = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

export function questionOf(search: Search): Question {
  const context: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(search)) {
    const field = isKnown(name) ? name : name.startsWith(property) ? name.slice(property.length) : undefined;
    const values = several(value).flatMap(split);
    if (field && values.length) context[field] = values;
  }
  return {
    environments: several(search.environment).filter(Boolean),
    projects: several(search.project).filter(Boolean),
    context,
  };
}

export function addressOf({ environments, projects, context }: Question): Search {
  const fields = Object.entries(context).map(([name, values]) => [
    isKnown(name) ? name : property + name,
    values.join(",") || undefined,
  ]);
  return { environment: environments, project: projects, ...(Object.fromEntries(fields) as Search) };
}

export function bodyOf({ environments, projects, context }: Question): Schemas["AdvancedPlaygroundRequest"] {
  const own: Record<string, string> = {};
  const properties: Record<string, string> = {};
  for (const [name, values] of Object.entries(context)) (isKnown(name) ? own : properties)[name] = values.join(",");
  return {
    environments,
    projects: projects.length ? projects : "*",
    context: { appName: "playground", ...own, ...(Object.keys(properties).length ? { properties } : {}) },
  };
}

/** How many times each feature is evaluated. */
export const combinations = ({ environments, context }: Question) =>
  Object.values(context).reduce((product, values) => product * values.length, environments.length);

/** What tells a context from the others that were asked about: "userId 42, country no". */
export function label(context: Result["context"], { context: asked }: Question): string {
  return Object.entries(asked)
    .filter(([, values]) => values.length > 1)
    .map(([name]) => `${name} ${context[name] ?? ""}`)
    .join(", ");
}

/** Whether it makes a difference who asks, or where. */
export function differs(results: readonly Pick<Result, "isEnabled" | "variant">[]): boolean {
  const said = new Set(results.map(({ isEnabled, variant }) => `${isEnabled} ${variant.name}`));
  return said.size > 1;
}

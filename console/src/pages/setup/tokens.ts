import type { Schemas } from "../../api/request";

type Kind = "client" | "frontend";

/** The token of an application: with its secret only where it was created here. */
export interface Held {
  name: string;
  type: Kind;
  secret?: string;
}

const kinds: Record<Kind, readonly string[]> = { client: ["client", "backend"], frontend: ["frontend"] };

/** The names of the tokens that let an application of a kind into an environment, the last used first. */
export const fitting = (tokens: readonly Schemas["ApiToken"][], type: Kind, environment: string): string[] => [
  ...new Set(
    tokens
      .filter((token) => kinds[type].includes(token.type) && token.environment === environment)
      .sort((one, other) => (other.seenAt ?? "").localeCompare(one.seenAt ?? ""))
      .map(({ tokenName }) => tokenName),
  ),
];

/** When one of these tokens was last used, and which. */
export function lastUse(tokens: readonly Schemas["ApiToken"][], environment: string, name: string | undefined) {
  return tokens
    .filter((token) => token.environment === environment && (!name || token.tokenName === name))
    .flatMap(({ seenAt, tokenName }) => (seenAt ? [{ seenAt, tokenName }] : []))
    .sort((one, other) => other.seenAt.localeCompare(one.seenAt))[0];
}

/** What was reported of a flag in an environment, or nothing yet. */
export function firstEvaluations(reports: readonly Schemas["FeatureEnvironmentMetrics"][], environment: string) {
  const here = reports.filter((report) => report.environment === environment);
  if (here.length === 0) return undefined;
  const sum = (count: "yes" | "no") => here.reduce((total, report) => total + report[count], 0);
  return { yes: sum("yes"), no: sum("no"), appNames: [...new Set(here.map(({ appName }) => appName))].sort() };
}

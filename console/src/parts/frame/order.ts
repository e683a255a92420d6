/** What was typed, as an order: to switch flags whose name contains a text, in environments whose name begins with one. */
export interface Order {
  enabled: boolean;
  flag: string;
  environment: string;
}

const verbs: readonly (readonly [RegExp, boolean])[] = [
  [/^(?:enable|(?:switch|turn) on)\s+/i, true],
  [/^(?:disable|(?:switch|turn) off)\s+/i, false],
];

/** "disable checkout in production" */
export function orderIn(text: string): Order | undefined {
  for (const [verb, enabled] of verbs) {
    const said = verb.exec(text.trimStart());
    if (!said) continue;
    const rest = text.trimStart().slice(said[0].length);
    const [, flag, environment] = /^(\S+)(?:\s+in\s+(\S*))?\s*$/.exec(rest) ?? [];
    if (flag) return { enabled, flag, environment: (environment ?? "").toLowerCase() };
  }
  return undefined;
}

/** What a pattern for names says of one: the server anchors it at both ends. */
export function fits(pattern: string, name: string): { objection?: string; fits?: boolean } {
  if (!pattern) return { fits: true };
  try {
    return { fits: new RegExp(`^(?:${pattern})$`).test(name) };
  } catch {
    return { objection: "This is no regular expression." };
  }
}

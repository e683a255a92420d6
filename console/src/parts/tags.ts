import type { Schemas } from "../api/request";

export const tagInWords = ({ type, value }: Schemas["Tag"]) => `${type}:${value}`;

/** Tags as they are typed: `type:value`. */
export function parseTags(texts: readonly string[]): { tags: Schemas["Tag"][]; objection?: string } {
  const tags = [];
  for (const text of texts) {
    const colon = text.indexOf(":");
    const [type, value] = [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
    if (colon < 1 || !value) return { tags, objection: `“${text}” is no tag: write type:value.` };
    tags.push({ type, value });
  }
  return { tags };
}

import { counted } from "../../words/counts";
import type { Schemas } from "../../api/request";

export type Data = Schemas["ImportData"];

const lists = ["features", "featureStrategies", "tagTypes"] as const;

/** What a file holds, or why it is none. The server looks at all else. */
export function read(text: string): { data?: Data; objection?: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return { objection: `This is no JSON: ${(cause as Error).message}` };
  }
  // What the API answers and the program writes hold the same, at times within `data`.
  const inner = typeof value === "object" && value !== null && "data" in value ? value.data : value;
  if (typeof inner !== "object" || inner === null) return { objection: "This is JSON, and no export of flags." };
  const missing = lists.filter((name) => !Array.isArray((inner as Record<string, unknown>)[name]));
  if (missing.length) return { objection: `This is no export of flags: it has no ${missing.join(", no ")}.` };
  return { data: inner as Data };
}

export function inWords({ features, featureStrategies, segments, featureTags }: Data): string {
  const parts = [
    [features.length, "flag", "flags"],
    [featureStrategies.length, "strategy", "strategies"],
    [featureTags?.length ?? 0, "tag", "tags"],
    [segments?.length ?? 0, "segment", "segments"],
  ] as const;
  return parts
    .filter(([count]) => count)
    .map(([count, one, many]) => counted(count, one, many))
    .join(", ");
}

/** What an import would do, feature by feature. */
export function byFeature(events: readonly Schemas["Change"][]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { type, featureName, environment } of events) {
    const said = `${type}${environment ? ` in ${environment}` : ""}`;
    const before = found.get(featureName ?? "") ?? [];
    if (!before.includes(said)) found.set(featureName ?? "", [...before, said]);
  }
  return found;
}

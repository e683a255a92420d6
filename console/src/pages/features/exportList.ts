import type { Found } from "./query";
import { tagInWords } from "../../parts/tags";

const yes = (is: boolean) => (is ? "yes" : "no");

/** The list as rows of a file, with a column for each environment. */
export function rowsOf(features: readonly Found[], environments: readonly string[]): string[][] {
  const head = [
    "name",
    "project",
    "type",
    "stage",
    "stale",
    "favourite",
    "created (UTC)",
    "created by",
    "seen (UTC)",
    "tags",
    "description",
    ...environments,
  ];
  return [
    head,
    ...features.map((one) => [
      one.name,
      one.project,
      one.type,
      one.lifecycle?.stage ?? "",
      yes(one.stale),
      yes(one.favorite),
      one.createdAt ?? "",
      one.createdBy.name,
      one.lastSeenAt ?? "",
      (one.tags ?? []).map(tagInWords).join(" "),
      one.description ?? "",
      ...environments.map((name) => {
        const here = one.environments.find((environment) => environment.name === name);
        return here ? (here.enabled ? "on" : "off") : "";
      }),
    ]),
  ];
}

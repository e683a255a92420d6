import { request, type Planned, type Schemas } from "../../../api/request";
import { same } from "../../../parts/conflict/merge";
import { putBack } from "../../../parts/events/putBack";
import { parseTags } from "../../../parts/tags";
import { meaning } from "../compare/comparison";
import type { Place, State } from "./state";

type Event = Schemas["Event"];

interface Named {
  project: string;
  name: string;
}

/** What an event holds of a change. */
type Told = Pick<Event, "type"> & { environment?: string; data?: object; preData?: object };

/** What takes back a change, as if an event told of it. */
const takingBack = ({ project, name }: Named, event: Told): Planned[] => {
  const way = putBack({ environment: null, ...event, project, featureName: name } as Event);
  return way ? [way] : [];
};

function inPlace(flag: Named, environment: string, now: Place, then: Place): Planned[] {
  const back = (event: Told) => takingBack(flag, { environment, ...event });
  const extra = now.strategies.filter(({ id }) => !then.strategies.some((one) => one.id === id));
  const lost = then.strategies.filter(({ id }) => !now.strategies.some((one) => one.id === id));
  const other = then.strategies.filter((strategy) => {
    const found = now.strategies.find(({ id }) => id === strategy.id);
    return found && !same(meaning(found), meaning(strategy));
  });
  const ids = ({ strategies }: Place) => strategies.map(({ id = "" }) => id);
  const isReordered = extra.length + lost.length === 0 && !same(ids(now), ids(then));
  return [
    ...other.flatMap((preData) => back({ type: "feature-strategy-update", preData })),
    ...lost.flatMap((preData) => back({ type: "feature-strategy-remove", preData })),
    ...extra.flatMap((data) => back({ type: "feature-strategy-add", data })),
    ...(isReordered
      ? [
          request(
            "post",
            "/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies/set-sort-order",
            {
              params: { path: { projectId: flag.project, featureName: flag.name, environment } },
              body: ids(then).map((id, sortOrder) => ({ id, sortOrder })),
            },
          ),
        ]
      : []),
    ...(same(now.variants, then.variants)
      ? []
      : back({ type: "feature-environment-variants-updated", preData: { variants: then.variants } })),
  ];
}

function ofAll(flag: Named, now: State, then: State): Planned[] {
  const path = { projectId: flag.project, featureName: flag.name };
  const added = parseTags(then.tags.filter((tag) => !now.tags.includes(tag))).tags;
  const removed = parseTags(now.tags.filter((tag) => !then.tags.includes(tag))).tags;
  const to = "/api/admin/projects/{projectId}/features/{featureName}/dependencies";
  const depended = then.dependencies.filter((one) => !now.dependencies.some((other) => same(one, other)));
  const freed = now.dependencies.filter(({ feature }) => !then.dependencies.some((one) => one.feature === feature));
  return [
    ...(same(now.settings, then.settings)
      ? []
      : takingBack(flag, { type: "feature-metadata-updated", preData: then.settings })),
    ...(added.length + removed.length
      ? [
          request("put", "/api/admin/features/{featureName}/tags", {
            params: { path: { featureName: flag.name } },
            body: { addedTags: added, removedTags: removed },
          }),
        ]
      : []),
    ...freed.map(({ feature }) =>
      request("delete", `${to}/{parent}`, { params: { path: { ...path, parent: feature } } }),
    ),
    ...depended.map((body) => request("post", to, { params: { path }, body })),
  ];
}

/**
 * The requests that make a flag as it was, in their order: what is to be off is so before anything else changes, and what
 * is to be on is so after all else.
 */
export function restoring(flag: Named, now: State, then: State): Planned[] {
  const places = Object.entries(now.environments).flatMap(([name, here]) => {
    const there = then.environments[name];
    return there ? [{ name, here, there }] : [];
  });
  const switching = (type: "feature-environment-enabled" | "feature-environment-disabled", enabled: boolean) =>
    places
      .filter(({ here, there }) => here.enabled !== there.enabled && there.enabled === enabled)
      .flatMap(({ name }) => takingBack(flag, { type, environment: name }));
  return [
    ...switching("feature-environment-enabled", false),
    ...ofAll(flag, now, then),
    ...places.flatMap(({ name, here, there }) => inPlace(flag, name, here, there)),
    ...switching("feature-environment-disabled", true),
  ];
}

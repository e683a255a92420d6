import { strategyOf, type Change as Requested } from "../../../api/proposals";
import { onlyFor, request } from "../../../api/request";
import { inEnvironment, type Place } from "../../../parts/change-requests/requests";
import type { Draft as Segment } from "../../build/segments/plans";
import { stateOf } from "../../feature/settings/conditions";
import type { Wanted } from "../../feature/settings/DependencyFields";
import type { Draft as Strategy } from "../../feature/strategy/draft";
import type { Change } from "../sentences";
import type { Shown } from "../shown";

const forms = [
  "updateEnabled",
  "addStrategy",
  "updateStrategy",
  "reorderStrategy",
  "patchVariant",
  "addDependency",
  "updateSegment",
] as const;

/** A change that has something to be edited. */
export type Editable = Extract<Change, { action: (typeof forms)[number] }>;

/** A change of one kind. */
export type Of<A extends Editable["action"]> = Extract<Editable, { action: A }>;

/** A change in its form. */
export type Edited = Shown & {
  /** Of the flag; empty for segments. */
  feature: string;
  change: Editable;
  onClose: () => void;
};

/** A change of one kind in its form. */
export type OfOne<A extends Editable["action"]> = Omit<Edited, "change"> & { change: Of<A> };

export const hasForm = (change: Change): change is Editable => (forms as readonly string[]).includes(change.action);

/** The call that replaces a change of a change request, as it was seen. */
export const editing = (place: Place, changeId: number, body: Requested, version: string | undefined) =>
  inEnvironment(
    onlyFor(
      request("put", "/api/admin/projects/{projectId}/change-requests/{id}/changes/{changeId}", {
        params: { path: { projectId: place.project, id: place.id, changeId } },
        body,
      }),
      version,
    ),
  );

/** A strategy that was edited: what its form does not show stays. */
export function ofStrategy(feature: string, change: Of<"addStrategy" | "updateStrategy">, draft: Strategy): Requested {
  const payload = { ...strategyOf(change.payload), ...draft };
  return change.action === "addStrategy"
    ? { feature, action: "addStrategy", payload }
    : { feature, action: "updateStrategy", payload: { ...payload, id: change.payload.id } };
}

export const ofSegment = ({ payload }: Of<"updateSegment">, draft: Segment): Requested => ({
  action: "updateSegment",
  payload: {
    id: payload.id,
    name: draft.name.trim(),
    description: draft.description || null,
    project: draft.project || null,
    constraints: draft.constraints,
  },
});

export const ofDependency = (feature: string, { parent, condition, variants }: Wanted): Requested => ({
  feature,
  action: "addDependency",
  payload: { feature: parent ?? "", ...stateOf(condition, variants) },
});

export const dependencyOf = ({ payload }: Of<"addDependency">): Wanted => ({
  parent: payload.feature,
  condition: payload.enabled === false ? "off" : payload.variants?.length ? "variant" : "on",
  variants: payload.variants ?? [],
});

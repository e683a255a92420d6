import { onlyFor, request, type Planned, type Schemas } from "../../api/request";
import { counted } from "../../words/counts";

export type ChangeRequest = Schemas["ChangeRequest"];
/** A change request in the list of a project: without what it changes. */
export type ListedChangeRequest = Schemas["ListedChangeRequest"];
export type FeatureChanges = ChangeRequest["features"][number];
export type FeatureChange = FeatureChanges["changes"][number];
export type SegmentChange = ChangeRequest["segments"][number];
export type State = Schemas["ChangeRequest"]["state"];

/** What tells one from all others. */
export type Place = Pick<ChangeRequest, "project" | "id">;

const all = "/api/admin/projects/{projectId}/change-requests";
const one = `${all}/{id}` as const;
const pathOf = ({ project, id }: Place) => ({ projectId: project, id });

export const listRequest = (projectId: string) => request("get", all, { params: { path: { projectId } } });

export const readRequest = (place: Place) => request("get", one, { params: { path: pathOf(place) } });

/** How many of a project wait for the person. */
export const actionableRequest = (projectId: string) =>
  request("get", `${all}/actionable`, { params: { path: { projectId } } });

/** Those that are not closed and touch a flag. */
export const touchingRequest = (projectId: string, featureName: string) =>
  request("get", `${all}/pending/{featureName}`, { params: { path: { projectId, featureName } } });

/** What the person collected in a project and can add to. */
export const pendingRequest = (projectId: string) =>
  request("get", `${all}/pending`, { params: { path: { projectId } } });

interface Entering {
  state: State;
  comment?: string;
  scheduledAt?: string;
}

/** Brings a change request, as it was seen, into a state. */
export const entering = (place: Place, { comment, ...body }: Entering, version?: string, dryRun = false) =>
  onlyFor(
    request("put", `${one}/state`, {
      params: { path: pathOf(place), query: dryRun ? { dryRun } : {} },
      body: comment?.trim() ? { ...body, comment: comment.trim() } : body,
    }),
    version,
  );

export const retitling = (place: Place, title: string, version?: string) =>
  onlyFor(request("put", `${one}/title`, { params: { path: pathOf(place) }, body: { title } }), version);

export const commenting = (place: Place, text: string) =>
  request("post", `${one}/comments`, { params: { path: pathOf(place) }, body: { text } });

export const discardingDraft = (place: Place) => request("delete", one, { params: { path: pathOf(place) } });

export const discardingChange = (place: Place, changeId: number) =>
  request("delete", `${one}/changes/{changeId}`, { params: { path: { ...pathOf(place), changeId } } });

export const reviewersRequest = (place: Place) =>
  request("get", `${one}/approvers`, { params: { path: pathOf(place) } });

export const availableReviewersRequest = (projectId: string, environment: string) =>
  request("get", `${all}/available-reviewers/{environment}`, { params: { path: { projectId, environment } } });

export const askingReviewers = (place: Place, reviewers: number[]) =>
  request("put", `${one}/approvers`, { params: { path: pathOf(place) }, body: { reviewers } });

/** The call by which changes become part of the draft of the person. */
export const drafting = (projectId: string, environment: string, changes: Schemas["RequestedChange"][]) =>
  request("post", "/api/admin/projects/{projectId}/environments/{environment}/change-requests", {
    params: { path: { projectId, environment } },
    body: changes,
  });

/** The same call, where a permission in the environment of the change request decides. */
export function inEnvironment<A>(planned: Planned<A>, permission?: string): Planned<A> {
  const needs = permission ? [{ permission, scope: "environment" as const }] : [];
  return { ...planned, operation: { ...planned.operation, needs } };
}

/** How many changes a change request holds. */
export const sizeOf = ({ features, segments }: Pick<ChangeRequest, "features" | "segments">) =>
  features.reduce((sum, { changes }) => sum + changes.length, 0) + segments.length;

/** Whether what was imported waits for approval, by the events that the import left. */
export const isRequested = (events: readonly { type: string }[]) =>
  events.some(({ type }) => type === "change-request-created" || type === "change-request-sent-to-review");

/** "checkout, cart and 2 others" */
export function touched(features: readonly string[], segments: readonly string[]): string {
  const names = [...features, ...segments.map((name) => `segment ${name || "that is gone"}`)];
  const most = 3;
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${counted(names.length - most, "other")}` : shown || "nothing";
}

const closed: readonly State[] = ["Applied", "Cancelled", "Rejected"];
export const isOpen = (state: State) => !closed.includes(state);

/** How somebody is called on a change request. */
export const personOf = ({ username, id }: Schemas["ChangeRequestUser"]) => username ?? `user ${id}`;

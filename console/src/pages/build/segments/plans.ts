import { request, type Planned, type Schemas } from "../../../api/request";

export type Draft = { name: string; description: string; project: string; constraints: Schemas["Constraint"][] };

export const noSegment: Draft = { name: "", description: "", project: "", constraints: [] };

export const draftOf = ({ name, description, project, constraints }: Schemas["Segment"]): Draft => ({
  name,
  description: description ?? "",
  project: project ?? "",
  constraints,
});

const bodyOf = ({ name, description, project, constraints }: Draft) => ({
  name: name.trim(),
  description: description || null,
  project: project || null,
  constraints,
});

export const planNew = (draft: Draft) => request("post", "/api/admin/segments", { body: bodyOf(draft) });

const one = "/api/admin/segments/{segmentId}";

export const segmentRequest = (segmentId: number) => request("get", one, { params: { path: { segmentId } } });

/** The strategies that apply it, as far as the person may see them. */
export const usesRequest = (segmentId: number) =>
  request("get", `${one}/strategies`, { params: { path: { segmentId } } });

export const planChange = (segmentId: number, draft: Draft) =>
  request("put", one, { params: { path: { segmentId } }, body: bodyOf(draft) });

export const planRemoval = (segmentId: number) => request("delete", one, { params: { path: { segmentId } } });

/** A segment of one project is also for those who keep the segments of that project. */
export function permitted<A>(deed: "CREATE" | "UPDATE" | "DELETE", planned: Planned<A>, project: string): Planned<A> {
  const needs = [
    { permission: `${deed}_SEGMENT`, scope: "root" as const },
    ...(project ? [{ permission: "UPDATE_PROJECT_SEGMENT", scope: "project" as const }] : []),
  ];
  return { ...planned, of: project || undefined, operation: { ...planned.operation, needs } };
}

/** Changes a segment. One that changes its project is in no draft: the server says why not. */
export function planUpdate(segmentId: number, draft: Draft, project: string) {
  const planned = permitted("UPDATE", planChange(segmentId, draft), draft.project);
  return draft.project === project ? planned : { ...planned, of: undefined };
}

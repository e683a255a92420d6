import { refusalFor, type Held } from "./permissions";
import { proposalOf } from "./proposals";
import { wallOf } from "./walls";
import { request, type Planned } from "./request";

/** Which environments of a project need approvals, and how many. */
export const guardsRequest = (projectId: string) =>
  request("get", "/api/admin/projects/{projectId}/change-requests/config", { params: { path: { projectId } } });

export type Guard = NonNullable<ReturnType<typeof guardsRequest>["answer"]>[number];

const skip = request("post", "/api/admin/projects/{projectId}/environments/{environment}/change-requests").operation;
const skipping = { ...skip, needs: [{ permission: "SKIP_CHANGE_REQUEST", scope: "environment" as const }] };

/**
 * The environment in whose draft a call is put instead of being made; nothing for calls that take effect at once.
 * Administrators make drafts here as everybody does: with other clients, they need none.
 */
export function draftedIn(planned: Planned, guards: readonly Guard[], held: Held): string | undefined {
  const proposal = proposalOf(planned);
  if (!proposal) return undefined;
  const { project, environment } = proposal;
  const on = guards.filter(({ changeRequestEnabled }) => changeRequestEnabled);
  const isAdmin = held.some(({ permission }) => permission === "ADMIN");
  // What has no environment is put into the draft of production.
  if (environment === undefined) return (on.find(({ type }) => type === "production") ?? on[0])?.environment;
  if (!on.some((one) => one.environment === environment)) return undefined;
  const place = { project, environment };
  const passes = !isAdmin && !refusalFor(held, skipping, place) && !refusalFor(held, planned.operation, place);
  return passes ? undefined : environment;
}

/** The project whose approvals decide about a call; nothing for calls that need none anywhere. */
export const guardingProject = (planned: Planned): string | undefined =>
  proposalOf(planned)?.project ?? wallOf(planned)?.project;

/**
 * Why a call cannot be made where changes need approval, since no change request can hold it: a sentence that says what to
 * do. Nothing for calls that are made, or put into a draft.
 */
export function walledBy(planned: Planned, guards: readonly Guard[], held: Held): string | undefined {
  const wall = wallOf(planned);
  if (!wall) return undefined;
  const { project, environment, passes, instead } = wall;
  const isAdmin = held.some(({ permission }) => permission === "ADMIN");
  const isPassed = (one: string) =>
    passes !== "nobody" &&
    (isAdmin || (passes === "skipping" && !refusalFor(held, skipping, { project, environment: one })));
  const found = guards.find(
    (one) =>
      one.changeRequestEnabled &&
      (environment === undefined || one.environment === environment) &&
      !isPassed(one.environment),
  );
  if (!found) return undefined;
  return `Changes of ${project} in ${found.environment} need approval, and no change request can hold this one. ${instead}`;
}

/** Why nobody moves flags into a project where changes need approval. */
export function closedTo(project: string, guards: readonly Guard[]): string | undefined {
  const found = guards.find(({ changeRequestEnabled }) => changeRequestEnabled);
  return found && `Changes of ${project} in ${found.environment} need approval: create a flag there instead.`;
}

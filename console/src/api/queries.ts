import {
  QueryClient,
  keepPreviousData,
  useQueries,
  useQuery,
  useQueryClient,
  type UseQueryOptions,
} from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { send, type Reply } from "./client";
import { ownChangesAnswered } from "./own-changes";
import { GivenUp, Refusal, Unreachable } from "./refusal";
import { addressOf, request, type Planned, type Schemas } from "./request";
import { draftedIn, guardingProject, guardsRequest, walledBy, type Guard } from "./guards";
import { placeOf, refusalFor, type Held, type Place } from "./permissions";
import { proposalOf } from "./proposals";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // A server that restarts is back in a moment; what it refused it refuses again.
      retry: (failures, error) =>
        !(error instanceof GivenUp) && !(error instanceof Refusal && error.status < 500) && failures < 1,
      retryDelay: 500,
      // What got no answer is asked again until it has one: pages read more than the one thing that they tell failures of.
      refetchInterval: ({ state }) => (state.error instanceof Unreachable && !state.data ? 5_000 : false),
    },
  },
});

export const keyOf = (planned: Planned) =>
  [planned.operation.id, addressOf(planned), planned.init.body ?? null] as const;

type Options<A> = Partial<
  Pick<UseQueryOptions<Reply<A>>, "enabled" | "staleTime" | "refetchInterval" | "placeholderData">
>;

/** Reads, and keeps what was read while something else is asked for. */
export function useRead<A>(planned: Planned<A>, options: Options<A> = {}) {
  const query = useQuery<Reply<A>>({
    queryKey: keyOf(planned),
    queryFn: ({ signal }) => send(planned, signal),
    placeholderData: keepPreviousData,
    ...options,
  });
  return { ...query, data: query.data?.data, version: query.data?.version };
}

/** Reads, and has nothing of what was read before while something else is asked for. */
export function useExactRead<A>(planned: Planned<A>, options: Options<A> = {}) {
  return useRead(planned, { ...options, placeholderData: undefined });
}

/** Reads several things of one kind; what has not come yet, or was refused, is absent. */
export function useReads<A>(planned: readonly Planned<A>[]) {
  return useQueries({
    queries: planned.map((one) => ({
      queryKey: keyOf(one),
      queryFn: ({ signal }: { signal: AbortSignal }) => send(one, signal),
      staleTime: 60_000,
    })),
    combine: (found) => ({
      data: found.map((one) => one.data?.data),
      error: found.find(({ error }) => error)?.error,
      isPending: found.some(({ isPending }) => isPending),
      refetch: () => void found.forEach((one) => void one.refetch()),
    }),
  });
}

const minutes = 60_000;
const nowhere: Schemas["Environment"][] = [];

export const me = request("get", "/api/admin/user");
export const useMe = () => useRead(me, { staleTime: 5 * minutes }).data;
export const useInstance = () => useRead(request("get", "/api/admin/ui-config"), { staleTime: 5 * minutes }).data;
export const useEnvironments = () =>
  useRead(request("get", "/api/admin/environments"), { staleTime: minutes }).data?.environments ?? nowhere;
export const useFeatureTypes = () =>
  useRead(request("get", "/api/admin/feature-types"), { staleTime: 5 * minutes }).data?.types ?? [];
export const useProjects = () =>
  useRead(request("get", "/api/admin/projects"), { staleTime: minutes }).data?.projects ?? [];

const unguarded: readonly Guard[] = [];
const nothing: Held = [];
const usePermissions = () => useMe()?.permissions ?? nothing;

/** Which environments of a project need approvals. */
export function useGuards(project: string | undefined): readonly Guard[] {
  const options = { enabled: project !== undefined, staleTime: minutes };
  return useExactRead(guardsRequest(project ?? ""), options).data ?? unguarded;
}

/** The project whose page this is. */
const useProjectHere = (): string | undefined => useParams({ strict: false }).projectId;

/** In which environment a call about the project becomes part of a draft; nothing for calls that are made. */
export function useDrafted(project: string | undefined): (planned: Planned) => string | undefined {
  const guards = useGuards(project);
  const held = usePermissions();
  return (planned) => (proposalOf(planned)?.project === project ? draftedIn(planned, guards, held) : undefined);
}

/**
 * Why the person may not make this call, or nothing when they may. What needs approval anybody may ask for, of the project
 * of the page unless another one is named; what no change request can hold is refused there.
 */
export function useWhyNot(project?: string): (planned: Planned, place?: Place) => string | undefined {
  const held = usePermissions();
  const here = useProjectHere();
  const guarding = project ?? here;
  const guards = useGuards(guarding);
  return (planned, place) => {
    const refusal = refusalFor(held, planned.operation, { ...placeOf(planned.init.params?.path), ...place });
    if (guardingProject(planned) !== guarding) return refusal;
    return refusal && draftedIn(planned, guards, held) === undefined ? refusal : walledBy(planned, guards, held);
  };
}

/** The same of one call about any project: what needs approval there is only read where it decides. */
export function useRefusal(planned: Planned, project: string): string | undefined {
  const held = usePermissions();
  const refusal = refusalFor(held, planned.operation, placeOf(planned.init.params?.path));
  const guards = useGuards(refusal ? project : undefined);
  return refusal && draftedIn(planned, guards, held) === undefined ? refusal : undefined;
}

/** Reads once, unless it was read a moment ago. */
export const readOnce = async <A>(planned: Planned<A>): Promise<A> =>
  (
    await queryClient.fetchQuery({
      queryKey: keyOf(planned),
      queryFn: ({ signal }) => send(planned, signal),
      staleTime: minutes,
    })
  ).data;

/** What a page read, with its version, once it has what the person changed a moment ago. */
export async function readWithOwnChanges<A>(planned: Planned<A>): Promise<Reply<A>> {
  const lastAnswer = await ownChangesAnswered();
  const queryKey = keyOf(planned);
  const known = queryClient.getQueryState<Reply<A>>(queryKey);
  if (known?.data && known.dataUpdatedAt > lastAnswer) return known.data;
  return queryClient.fetchQuery({ queryKey, queryFn: ({ signal }) => send(planned, signal), staleTime: 0 });
}

/** In which environment a call becomes part of a draft, by what the server says: anew where it is known to be outdated. */
export async function draftedNow(planned: Planned, isOutdated = false): Promise<string | undefined> {
  const proposal = proposalOf(planned);
  if (!proposal) return undefined;
  const guarding = guardsRequest(proposal.project);
  if (isOutdated) await queryClient.invalidateQueries({ queryKey: keyOf(guarding), refetchType: "none" });
  const [guards, { permissions }] = await Promise.all([readOnce(guarding), readOnce(me)]);
  return draftedIn(planned, guards, permissions);
}

export function useRefresh() {
  const client = useQueryClient();
  return () => client.invalidateQueries();
}

/** Asks anew for what is shown and has not come. */
export function useAskAgain() {
  const client = useQueryClient();
  return async () => {
    await client.cancelQueries({ fetchStatus: "fetching" });
    await client.refetchQueries({ type: "active", stale: true });
  };
}

import {
  QueryClient,
  keepPreviousData,
  useQueries,
  useQuery,
  useQueryClient,
  type UseQueryOptions,
} from "@tanstack/react-query";
import { send, type Reply } from "./client";
import { GivenUp, Refusal, Unreachable } from "./refusal";
import { addressOf, request, type Planned, type Schemas } from "./request";
import { placeOf, refusalFor, type Place } from "./permissions";

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

type Options<A> = Partial<Pick<UseQueryOptions<Reply<A>>, "enabled" | "staleTime" | "refetchInterval">>;

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

export const me = request("get", "/api/admin/user");
export const useMe = () => useRead(me, { staleTime: 5 * minutes }).data;
export const useInstance = () => useRead(request("get", "/api/admin/ui-config"), { staleTime: 5 * minutes }).data;
const nowhere: Schemas["Environment"][] = [];
export const useEnvironments = () =>
  useRead(request("get", "/api/admin/environments"), { staleTime: minutes }).data?.environments ?? nowhere;
export const useFeatureTypes = () =>
  useRead(request("get", "/api/admin/feature-types"), { staleTime: 5 * minutes }).data?.types ?? [];
export const useProjects = () =>
  useRead(request("get", "/api/admin/projects"), { staleTime: minutes }).data?.projects ?? [];

/** Why the person may not make this call, or nothing when they may. */
export function useWhyNot(): (planned: Planned, place?: Place) => string | undefined {
  const permissions = useMe()?.permissions ?? [];
  return (planned, place) =>
    refusalFor(permissions, planned.operation, { ...placeOf(planned.init.params?.path), ...place });
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

import { useMemo } from "react";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { idOf, type Named } from "../../parts/bulk/tasks";

const most = "100";

const search = (query: { favoritesFirst?: string; createdBy?: string }) =>
  request("get", "/api/admin/search/features", { params: { query: { ...query, limit: most } } });

/** Favourites and what one created, with their switches: two searches, however many there are. */
export function useMine(flags: readonly Named[], userId: number | undefined) {
  const wanted = { enabled: flags.length > 0 && userId !== undefined };
  const marked = useRead(search({ favoritesFirst: "true" }), wanted);
  const created = useRead(search({ createdBy: `IS:${userId}` }), wanted);
  const found = useMemo(
    () =>
      new Map<string, Schemas["SearchFeature"]>(
        [...(marked.data?.features ?? []), ...(created.data?.features ?? [])].map((one) => [idOf(one), one]),
      ),
    [marked.data, created.data],
  );
  const isReady = !wanted.enabled || [marked, created].every(({ data, error }) => data || error);
  return { found, isReady };
}

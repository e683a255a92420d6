import { first, several, type Search } from "../../api/address";
import { request, type Schemas } from "../../api/request";

export const pageSize = 100;

/** A feature as the search finds it. */
export type Found = Schemas["SearchFeature"];

/** What narrows the list, as the address and the API both call it. */
export const filters = [
  "query",
  "project",
  "state",
  "type",
  "tag",
  "segment",
  "createdBy",
  "createdAt",
  "lastSeenAt",
  "favorites",
  "lifecycle",
  "status",
] as const;

/** The search that an address stands for. A project's own page is a search in that project. */
export function searchOf(search: Search, projectId?: string) {
  const text = (name: string) => first(search[name]) || undefined;
  return {
    query: text("query"),
    project: projectId ? `IS:${projectId}` : text("project"),
    state: text("state"),
    type: text("type"),
    tag: text("tag"),
    segment: text("segment"),
    createdBy: text("createdBy"),
    createdAt: text("createdAt"),
    lastSeenAt: text("lastSeenAt"),
    favorites: text("favorites") === "true" ? true : undefined,
    lifecycle: text("lifecycle"),
    status: several(search.status),
    sortBy: text("sortBy") ?? "createdAt",
    sortOrder: text("sortOrder") === "asc" ? ("asc" as const) : ("desc" as const),
    favoritesFirst: "true",
    offset: text("offset") ?? "0",
    limit: String(pageSize),
  };
}

export const searchRequest = (query: ReturnType<typeof searchOf>) =>
  request("get", "/api/admin/search/features", { params: { query } });

export const isNarrowed = (search: Search) =>
  filters.some((name) => several(search[name]).some((value) => value !== ""));

import type { FetchOptions, FetchResponse } from "openapi-fetch";
import type { HttpMethod, PathsWithMethod } from "openapi-typescript-helpers";
import { operations, type Needs } from "./generated/operations";
import type { components, paths } from "./generated/schema";

export type Schemas = components["schemas"];

/**
 * One call of the API, before it is made: it can be shown, asked for its permission, and sent. Nothing else is ever sent.
 */
export interface Planned<Answer = unknown> {
  method: string;
  path: string;
  init: Sent;
  operation: Operation;
  /** Properties of the body that must not be seen over a shoulder, beside those that are named like it. */
  secrets?: readonly string[];
  /** Id of the project that what it changes belongs to, where the path does not tell. */
  of?: string;
  /** Only for the type checker. */
  answer?: Answer;
}

export interface Sent {
  params?: {
    path?: Record<string, string | number | undefined>;
    query?: Record<string, unknown>;
    header?: Record<string, unknown>;
  };
  body?: unknown;
}

export interface Operation {
  id: string;
  tag: string;
  summary: string;
  needs: Needs;
}

type Call<P extends keyof paths, M extends HttpMethod> = M extends keyof paths[P] ? paths[P][M] : never;
type Init<P extends keyof paths, M extends HttpMethod> = Omit<
  FetchOptions<Call<P, M>>,
  "fetch" | "baseUrl" | "middleware"
>;
type Answer<P extends keyof paths, M extends HttpMethod> =
  Call<P, M> extends infer O extends Record<string | number, unknown>
    ? NonNullable<FetchResponse<O, object, "application/json">["data"]>
    : never;

/** Plans a call. The path, its parameters and the body are checked against the document when this compiles. */
export function request<M extends HttpMethod, P extends PathsWithMethod<paths, M>>(
  method: M,
  path: P,
  init: Init<P, M> = {} as Init<P, M>,
): Planned<Answer<P, M>> {
  const key = `${method.toUpperCase()} ${path}`;
  const [id, tag, summary, needs] = operations[key] ?? [key, "", key, []];
  return { method: method.toUpperCase(), path, init: init as Sent, operation: { id, tag, summary, needs } };
}

/** The same call, meant for one version only. */
export function onlyFor<A>(planned: Planned<A>, version: string | undefined): Planned<A> {
  if (!version) return planned;
  const { params } = planned.init;
  return {
    ...planned,
    init: { ...planned.init, params: { ...params, header: { ...params?.header, "If-Match": version } } },
  };
}

/** Path and query as they travel. */
export function addressOf({ path, init }: Pick<Planned, "path" | "init">): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(init.params?.path?.[name] ?? "")),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(init.params?.query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) query.append(name, String(one));
    }
  }
  return query.size ? `${filled}?${query}` : filled;
}

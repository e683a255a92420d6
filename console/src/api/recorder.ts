import { useSyncExternalStore } from "react";
import { addressOf, type Operation, type Planned, type Sent } from "./request";

/** A call that was made, without its secrets. */
export interface Recorded {
  number: number;
  method: string;
  address: string;
  body?: unknown;
  operation: Operation;
  at: Date;
  took: number;
  status?: number;
  errorId?: string;
}

const kept = 100;
let requests: readonly Recorded[] = [];
let number = 0;
let changed = -Infinity;
const listeners = new Set<() => void>();

const secret = /password|secret|^token$|certificate|privateKey/i;

/** The same value, without what must not be seen over a shoulder: texts that are named like a secret, and all in `more`. */
export function blanked(value: unknown, more: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((one) => blanked(one, more));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      more.includes(name) || (secret.test(name) && typeof inner === "string") ? "…" : blanked(inner, more),
    ]),
  );
}

/** Path and query, without the secrets in them. The id of a token is none. */
export function blankedAddress({ path, init }: Pick<Planned, "path" | "init">): string {
  const { path: inPath, query } = init.params ?? {};
  const isId = /^\d+$/.test(String(inPath?.token));
  const params = { path: isId ? inPath : blanked(inPath), query: blanked(query) } as Sent["params"];
  const address = addressOf({ path, init: { params } });
  return address.replaceAll(encodeURIComponent("…"), "…");
}

export function record(planned: Planned, outcome: Pick<Recorded, "took" | "status" | "errorId">) {
  const { method, operation, init } = planned;
  const entry = {
    number: ++number,
    method,
    address: blankedAddress(planned),
    body: blanked(init.body, planned.secrets),
    operation,
    at: new Date(),
    ...outcome,
  };
  if (method !== "GET") changed = performance.now();
  requests = [entry, ...requests].slice(0, kept);
  listeners.forEach((listener) => listener());
}

/** When this tab last changed something, by `performance.now()`. */
export const lastChange = (): number => changed;

export function useRecorded(): readonly Recorded[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => requests,
  );
}

import createClient from "openapi-fetch";
import type { paths } from "./generated/schema";
import { learn } from "./clock";
import { waitingFor } from "./pending";
import { GivenUp, Refusal, Unreachable, type ApiError } from "./refusal";
import type { Planned } from "./request";
import { record } from "./recorder";

/** Where the server is: one step above the pages. */
export const root = new URL("../", document.baseURI).href.replace(/\/$/, "");

const client = createClient<paths>({ baseUrl: root, credentials: "same-origin" });

export interface Reply<A> {
  data: A;
  /** Version of what was answered, for `If-Match`. */
  version: string | undefined;
}

type SignedOut = (began: number) => void;
const signedOut = new Set<SignedOut>();

/** Tells when an answer said that nobody is signed in (any more), and when that was asked, by `performance.now()`. */
export function onSignedOut(listener: SignedOut): () => void {
  signedOut.add(listener);
  return () => signedOut.delete(listener);
}

const enrolmentRequired = new Set<() => void>();

/** Tells when an answer said that a second factor must be enrolled before anything else. */
export function onEnrolmentRequired(listener: () => void): () => void {
  enrolmentRequired.add(listener);
  return () => enrolmentRequired.delete(listener);
}

/**
 * Makes a call. What is no success is thrown: a `Refusal` with the server's words, `Unreachable`, or `GivenUp` when the
 * person waits no longer. What is asked in the background is not waited for, and not listed among the requests of the tab.
 */
export async function send<A>(
  planned: Planned<A>,
  signal?: AbortSignal,
  { inBackground = false } = {},
): Promise<Reply<A>> {
  const began = performance.now();
  const asked = Date.now();
  const isWrite = planned.method !== "GET";
  const patience = new AbortController();
  const answered = inBackground ? () => undefined : waitingFor({ began, isWrite, stop: () => patience.abort() });
  const note: typeof record = (...made) => {
    if (!inBackground) record(...made);
  };
  let outcome;
  try {
    const call = client.request as unknown as (
      method: string,
      path: string,
      init: object,
    ) => Promise<{ data?: unknown; error?: unknown; response: Response }>;
    const either = AbortSignal.any(signal ? [signal, patience.signal] : [patience.signal]);
    outcome = await call(planned.method.toLowerCase(), planned.path, { ...planned.init, signal: either });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    note(planned, { took: performance.now() - began });
    throw patience.signal.aborted ? new GivenUp(isWrite) : new Unreachable(cause);
  } finally {
    answered();
  }
  const { data, error, response } = outcome;
  learn(response.headers.get("date"), asked, Date.now());
  const problem = response.ok ? undefined : asApiError(error, response);
  note(planned, { took: performance.now() - began, status: response.status, errorId: problem?.id });
  if (problem) {
    if (!inBackground && response.status === 401 && problem.name === "AuthenticationRequired")
      signedOut.forEach((listener) => listener(began));
    if (problem.name === "SecondFactorEnrolmentError") enrolmentRequired.forEach((listener) => listener());
    throw new Refusal(response.status, problem, secondsToWait(response));
  }
  return { data: data as A, version: response.headers.get("etag") ?? undefined };
}

function asApiError(error: unknown, response: Response): ApiError {
  if (typeof error === "object" && error !== null && "message" in error) return error as ApiError;
  return {
    id: "",
    name: `Status ${response.status}`,
    message: "What answered is not this server: is there a proxy in between?",
  };
}

function secondsToWait(response: Response): number | undefined {
  const seconds = Number(response.headers.get("retry-after"));
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

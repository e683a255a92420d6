import { linesOf } from "../words/errors";
import type { components } from "./generated/schema";

export type ApiError = components["schemas"]["ApiError"];

/** The server understood and said no. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: ApiError,
    readonly retryAfter?: number,
  ) {
    super(body.message);
    this.name = body.name;
  }

  /** What it says about single fields, and otherwise as a whole, in sentences for people. */
  get lines(): string[] {
    return linesOf(this.body);
  }
}

/**
 * A refusal of a part of a body, as if that part were all of it: forms name their fields by the place in what they are
 * about, and not in what holds it.
 */
export function ofPart(failure: unknown, part: string): unknown {
  if (!(failure instanceof Refusal)) return failure;
  const { status, body, retryAfter } = failure;
  const narrowed = (text: string) => text.replaceAll(`/body/${part}/`, "/body/");
  const details = body.details?.map((one) => ({
    ...one,
    message: narrowed(one.message),
    path: one.path && narrowed(one.path),
  }));
  return new Refusal(status, { ...body, message: narrowed(body.message), details }, retryAfter);
}

/** No answer came: the server is away, or the network. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super("The server does not answer.", { cause });
    this.name = "Unreachable";
  }
}

/** The person waited long enough. */
export class GivenUp extends Error {
  constructor(isWrite: boolean) {
    super(
      isWrite
        ? "You stopped waiting. The server may have done it all the same: look before you do it again."
        : "You stopped waiting for the answer.",
    );
    this.name = "GivenUp";
  }
}

export const isConflict = (error: unknown) => error instanceof Refusal && error.status === 412;
export const isMissing = (error: unknown) => error instanceof Refusal && error.status === 404;

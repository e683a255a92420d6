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

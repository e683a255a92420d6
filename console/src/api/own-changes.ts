/** Changes that the person makes in this tab and that are not answered yet. */
const unanswered = new Set<Promise<unknown>>();
let lastAnswer = -Infinity;

/** Notes a change that the person makes, until it is answered or refused. */
export async function ownChange<A>(made: Promise<A>): Promise<A> {
  unanswered.add(made);
  try {
    return await made;
  } finally {
    unanswered.delete(made);
    lastAnswer = Date.now();
  }
}

/** Waits until all changes of the person are answered. Returns when the last one was, by `Date.now()`. */
export async function ownChangesAnswered(): Promise<number> {
  while (unanswered.size > 0) await Promise.allSettled(unanswered);
  return lastAnswer;
}

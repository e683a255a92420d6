import { useEffect, useState } from "react";
import { send, type Reply } from "../api/client";
import { Refusal } from "../api/refusal";
import type { Planned } from "../api/request";

/**
 * Makes calls that the server counts: after too many, `wait` holds the seconds until the next one. A refusal that
 * `leadsOn` takes is a step on the way, and no error.
 */
export function useAttempt() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [wait, setWait] = useState(0);

  useEffect(() => {
    if (wait <= 0) return;
    const timer = setTimeout(() => setWait(wait - 1), 1000);
    return () => clearTimeout(timer);
  }, [wait]);

  async function attempt<A>(
    planned: Planned<A>,
    leadsOn: (failure: unknown) => boolean = () => false,
  ): Promise<Reply<A> | undefined> {
    setBusy(true);
    setError(undefined);
    try {
      return await send(planned);
    } catch (failure) {
      if (failure instanceof Refusal && failure.status === 429) setWait(failure.retryAfter ?? 6);
      else if (!leadsOn(failure)) setError(failure);
      return undefined;
    } finally {
      setBusy(false);
    }
  }

  return { attempt, busy, error, wait };
}

import { Refusal } from "../../../../api/refusal";
import type { Address } from "./addresses";

export interface Outcome {
  email: string;
  state: "invited" | "refused" | "left out";
  /** The link with which a password is set, or why there is none. */
  said: string;
}

interface Means {
  create: (address: Address) => Promise<{ inviteLink: string }>;
  /** Waits for so many seconds, as the server asked. */
  pause: (seconds: number) => Promise<void>;
  isStopped: () => boolean;
  tell: (outcome: Outcome) => void;
}

const sentences = (failure: unknown) =>
  failure instanceof Refusal ? failure.lines.join(" ") : failure instanceof Error ? failure.message : String(failure);

/** Invites one after the other: what the server counts is asked again when it says so, and no refusal ends the rest. */
export async function inviteAll(addresses: readonly Address[], { create, pause, isStopped, tell }: Means) {
  for (const address of addresses) {
    const { email } = address;
    if (isStopped()) tell({ email, state: "left out", said: "You stopped before." });
    else tell(await invite(address, { create, pause, isStopped }));
  }
}

async function invite(address: Address, { create, pause, isStopped }: Omit<Means, "tell">): Promise<Outcome> {
  const { email } = address;
  for (;;) {
    try {
      const { inviteLink } = await create(address);
      return { email, state: "invited", said: inviteLink };
    } catch (failure) {
      const isCounted = failure instanceof Refusal && failure.status === 429;
      if (!isCounted) return { email, state: "refused", said: sentences(failure) };
      await pause(failure.retryAfter ?? 5);
      if (isStopped()) return { email, state: "left out", said: "You stopped before." };
    }
  }
}

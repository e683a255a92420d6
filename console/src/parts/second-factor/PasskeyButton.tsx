import { Button } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { useRead } from "../../api/queries";
import type { Schemas } from "../../api/request";
import { answerOf, hasPasskeys } from "./passkey";
import { planChallenge, waysIn } from "./requests";

interface Props {
  children: string;
  disabled?: boolean;
  /** Takes the answer of the passkey that the person chose. */
  onAnswer: (answer: Schemas["PasskeyAnswer"]) => void;
  /** Takes why there is none, or nothing when the person begins. */
  onError: (error: unknown) => void;
}

/** Asks for a passkey, where server and browser have them. */
export function PasskeyButton({ children, disabled, onAnswer, onError }: Props) {
  const offered = useRead(waysIn);
  const [busy, setBusy] = useState(false);
  if (!offered.data?.passkeys || !hasPasskeys()) return null;

  async function ask() {
    setBusy(true);
    onError(undefined);
    try {
      onAnswer(await answerOf((await send(planChallenge)).data));
    } catch (failure) {
      onError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Button variant="default" loading={busy} disabled={disabled} onClick={() => void ask()}>
      {children}
    </Button>
  );
}

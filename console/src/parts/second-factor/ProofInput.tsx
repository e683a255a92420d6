import { Stack } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../api/request";
import { Problem } from "../Problem";
import { CodeInput } from "./CodeInput";
import { PasskeyButton } from "./PasskeyButton";

interface Props {
  code: string;
  onChange: (code: string) => void;
  /** Takes the answer of a passkey, with which there is nothing left to type. */
  onAnswer: (answer: Schemas["PasskeyAnswer"]) => void;
  /** Whether something else is missing that has to be typed before. */
  isWaiting?: boolean;
  error: unknown;
  isFirst?: boolean;
}

/** Proof of the second factor: a code of the app, a recovery code, or a passkey. */
export function ProofInput({ code, onChange, onAnswer, isWaiting, error, isFirst }: Props) {
  const [failure, setFailure] = useState<unknown>();
  return (
    <Stack gap="sm" align="stretch" w="100%">
      <CodeInput code={code} onChange={onChange} error={error} isRecoverable isFirst={isFirst} />
      <PasskeyButton disabled={isWaiting} onAnswer={onAnswer} onError={setFailure}>
        Use a passkey
      </PasskeyButton>
      <Problem error={failure} />
    </Stack>
  );
}

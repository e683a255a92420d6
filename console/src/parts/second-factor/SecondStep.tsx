import { Anchor, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { AttemptButton } from "../AttemptButton";
import { useAttempt } from "../attempt";
import { Problem } from "../Problem";
import { ProofInput } from "./ProofInput";
import { planSignIn, wrongCode, type Proof } from "./requests";

interface Props {
  username: string;
  password: string;
  onSignedIn: () => void;
  onBack: () => void;
}

/** The second step of signing in: a code or a passkey, after the right password. */
export default function SecondStep({ username, password, onSignedIn, onBack }: Props) {
  const [code, setCode] = useState("");
  const { attempt, busy, error, wait } = useAttempt();

  async function signIn(proof: Proof) {
    if (await attempt(planSignIn(username, password, proof))) onSignedIn();
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void signIn({ code });
      }}
    >
      <Stack gap="md">
        <Text size="sm" role="status">
          The password is right. Your account has a second factor.
        </Text>
        <ProofInput
          code={code}
          onChange={setCode}
          onAnswer={(passkey) => void signIn({ passkey })}
          isWaiting={wait > 0}
          error={error}
          isFirst
        />
        <Problem error={wrongCode(error) ? undefined : error} />
        <AttemptButton busy={busy} wait={wait}>
          Sign in
        </AttemptButton>
        <Text size="sm">
          Without the app, the passkeys and the codes, an administrator can remove your second factor.{" "}
          <Anchor component="button" type="button" size="sm" onClick={onBack}>
            Sign in as somebody else
          </Anchor>
        </Text>
      </Stack>
    </form>
  );
}

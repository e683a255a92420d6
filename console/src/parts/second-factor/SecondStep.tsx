import { Anchor, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { AttemptButton } from "../AttemptButton";
import { useAttempt } from "../attempt";
import { Problem } from "../Problem";
import { CodeInput } from "./CodeInput";
import { planSignIn, wrongCode } from "./requests";

interface Props {
  username: string;
  password: string;
  onSignedIn: () => void;
  onBack: () => void;
}

/** The second step of signing in: a code, after the right password. */
export function SecondStep({ username, password, onSignedIn, onBack }: Props) {
  const [code, setCode] = useState("");
  const { attempt, busy, error, wait } = useAttempt();

  async function signIn() {
    if (await attempt(planSignIn(username, password, code))) onSignedIn();
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void signIn();
      }}
    >
      <Stack gap="md">
        <Text size="sm" role="status">
          The password is right. Your account has a second factor.
        </Text>
        <CodeInput code={code} onChange={setCode} error={error} isRecoverable isFirst />
        <Problem error={wrongCode(error) ? undefined : error} />
        <AttemptButton busy={busy} wait={wait}>
          Sign in
        </AttemptButton>
        <Text size="sm">
          Without the app and the codes, an administrator can remove your second factor.{" "}
          <Anchor component="button" type="button" size="sm" onClick={onBack}>
            Sign in as somebody else
          </Anchor>
        </Text>
      </Stack>
    </form>
  );
}

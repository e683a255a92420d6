import { Anchor, Button, Code, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../api/request";
import { AttemptButton } from "../AttemptButton";
import { useAttempt } from "../attempt";
import { Problem } from "../Problem";
import { CopyValue } from "../SecretOnce";
import { CodeInput } from "./CodeInput";
import { notBeside, planBegin, planConfirm, wrongPassword } from "./requests";

interface Props {
  /** Takes the recovery codes, which nobody can read again. */
  onEnrolled: (codes: string[]) => void;
}

/** Takes an authenticator app into use: the password, the secret for the app, and a code of it. */
export function Enrolment({ onEnrolled }: Props) {
  const [begun, setBegun] = useState<Schemas["TotpEnrolment"]>();
  if (!begun) return <Beginning onBegun={setBegun} />;
  return <Confirmation enrolment={begun} onEnrolled={onEnrolled} onAgain={() => setBegun(undefined)} />;
}

function Beginning({ onBegun }: { onBegun: (enrolment: Schemas["TotpEnrolment"]) => void }) {
  const [password, setPassword] = useState("");
  const { attempt, busy, error, wait } = useAttempt();

  async function begin() {
    const reply = await attempt(planBegin(password));
    if (reply) onBegun(reply.data);
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void begin();
      }}
    >
      <Stack gap="md" align="start">
        <Text size="sm">
          An authenticator app on your phone shows a code of six digits. From then on, signing in with your password
          asks for one.
        </Text>
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          w="100%"
          maxLength={1000}
          value={password}
          error={wrongPassword(error)}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ "aria-label": "Show the current password" }}
        />
        <Problem error={notBeside(error)} />
        <AttemptButton busy={busy} wait={wait}>
          Set up an authenticator app
        </AttemptButton>
      </Stack>
    </form>
  );
}

const inGroups = (secret: string) => secret.match(/.{1,4}/g)?.join(" ") ?? secret;

interface ConfirmationProps extends Props {
  enrolment: Schemas["TotpEnrolment"];
  onAgain: () => void;
}

function Confirmation({ enrolment, onEnrolled, onAgain }: ConfirmationProps) {
  const [code, setCode] = useState("");
  const { attempt, busy, error, wait } = useAttempt();

  async function confirm() {
    const reply = await attempt(planConfirm(code));
    if (reply) onEnrolled(reply.data.codes);
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void confirm();
      }}
    >
      <Stack gap="md" align="start">
        <Text size="sm">
          Scan this with the app, or type the secret into it. It is shown this once, and confirmed within an hour.
        </Text>
        <img
          src={`data:image/svg+xml,${encodeURIComponent(enrolment.qrCode)}`}
          alt="QR code of the secret"
          width={200}
          height={200}
        />
        <Group gap="sm">
          <Code className="breaks" tabIndex={0} role="region" aria-label="The secret for the app">
            {inGroups(enrolment.secret)}
          </Code>
          <CopyValue value={enrolment.secret} what="the secret" />
        </Group>
        <Anchor size="sm" href={enrolment.uri}>
          Open it in an app on this device
        </Anchor>
        <CodeInput code={code} onChange={setCode} error={error} isFirst />
        <Problem error={notBeside(error)} />
        <Group gap="sm">
          <AttemptButton busy={busy} wait={wait}>
            Confirm the code
          </AttemptButton>
          <Button variant="default" onClick={onAgain}>
            Begin again
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

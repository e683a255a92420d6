import { Anchor, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../api/request";
import { AttemptButton } from "../AttemptButton";
import { useAttempt } from "../attempt";
import { CurrentPassword } from "../CurrentPassword";
import { Problem } from "../Problem";
import { CopyValue } from "../SecretOnce";
import { CodeInput } from "./CodeInput";
import { ProofInput } from "./ProofInput";
import { notBeside, planBegin, planConfirm, wrongPassword, type Proof } from "./requests";

interface Props {
  /** Takes the recovery codes, which nobody can read again. */
  onEnrolled: (codes: string[]) => void;
  /** Whether there is a second factor already, which has to be proved. */
  isFurther?: boolean;
}

/** Takes an authenticator app into use: the password, the secret for the app, and a code of it. */
export function Enrolment({ onEnrolled, isFurther = false }: Props) {
  const [begun, setBegun] = useState<Schemas["TotpEnrolment"]>();
  if (!begun) return <Beginning onBegun={setBegun} isFurther={isFurther} />;
  return <Confirmation enrolment={begun} onEnrolled={onEnrolled} onAgain={() => setBegun(undefined)} />;
}

interface BeginningProps {
  onBegun: (enrolment: Schemas["TotpEnrolment"]) => void;
  isFurther: boolean;
}

function Beginning({ onBegun, isFurther }: BeginningProps) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const { attempt, busy, error, wait } = useAttempt();

  async function begin(proof?: Proof) {
    const reply = await attempt(planBegin(password, proof));
    if (reply) onBegun(reply.data);
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void begin(isFurther ? { code } : undefined);
      }}
    >
      <Stack gap="md" align="start">
        <Text size="sm">
          An authenticator app on your phone shows a code of six digits. From then on, signing in with your password
          asks for one.
        </Text>
        <CurrentPassword required w="100%" value={password} error={wrongPassword(error)} onChange={setPassword} />
        {isFurther && (
          <ProofInput
            code={code}
            onChange={setCode}
            onAnswer={(passkey) => void begin({ passkey })}
            isWaiting={password === ""}
            error={error}
          />
        )}
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

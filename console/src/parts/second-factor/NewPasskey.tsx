import { Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../api/request";
import { AttemptButton } from "../AttemptButton";
import { useAttempt } from "../attempt";
import { CurrentPassword } from "../CurrentPassword";
import { Problem } from "../Problem";
import { ProofInput } from "./ProofInput";
import { madeFor } from "./passkey";
import { notBeside, planRegister, planRegistration, wrongPassword, type Proof } from "./requests";

interface Props {
  /** Takes the recovery codes, which nobody can read again; none for a further second factor. */
  onRegistered: (codes: string[]) => void;
  /** Whether there is a second factor already, which has to be proved. */
  isFurther?: boolean;
}

/** Registers a passkey: a name, the password, and what the browser makes. */
export function NewPasskey({ onRegistered, isFurther = false }: Props) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [unused, setUnused] = useState<unknown>();
  const { attempt, busy, error, wait } = useAttempt();

  async function register(proof?: Proof) {
    setUnused(undefined);
    const begun = await attempt(planRegistration(password, proof));
    if (!begun) return;
    let made: Omit<Schemas["PasskeyRegistration"], "name">;
    try {
      made = await madeFor(begun.data);
    } catch (failure) {
      setUnused(failure);
      return;
    }
    const reply = await attempt(planRegister({ ...made, name }));
    if (reply) onRegistered(reply.data.recoveryCodes);
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void register(isFurther ? { code } : undefined);
      }}
    >
      <Stack gap="md" align="start">
        <Text size="sm">
          Your phone, your computer, a security key or a password manager keeps it, and asks for your PIN, face or
          finger. It signs you in without your password, and is a second factor beside it.
        </Text>
        <TextInput
          label="Name of the passkey"
          description="Such as the name of the device."
          required
          w="100%"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <CurrentPassword required w="100%" value={password} error={wrongPassword(error)} onChange={setPassword} />
        {isFurther && (
          <ProofInput
            code={code}
            onChange={setCode}
            onAnswer={(passkey) => void register({ passkey })}
            isWaiting={busy || password === "" || name.trim() === ""}
            error={error}
          />
        )}
        <Problem error={unused ?? notBeside(error)} />
        <AttemptButton busy={busy} wait={wait}>
          Register the passkey
        </AttemptButton>
      </Stack>
    </form>
  );
}

import { Box, Button, Divider, Stack, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { useRead } from "../api/queries";
import type { Schemas } from "../api/request";
import { arriving } from "./arriving";
import { AttemptButton } from "./AttemptButton";
import { useAttempt } from "./attempt";
import { PasswordInput } from "./PasswordInput";
import { Problem } from "./Problem";
import { PasskeyButton } from "./second-factor/PasskeyButton";
import { isAskingForProof, planPasskeySignIn, planSignIn, waysIn } from "./second-factor/requests";
import { Unread } from "./Unread";

const SecondStep = arriving(() => import("./second-factor/SecondStep"));
const ProviderIcon = arriving(() => import("./ProviderIcon"), { waiting: <Box w={18} h={18} />, isBeside: true });

interface Props {
  onSignedIn: () => void;
  /** Path on the server where a login provider leads back to. */
  back?: string;
  /** Login providers open beside this page, which must stay. */
  newTab?: boolean;
}

/** The ways to sign in that this server offers. */
export function SignInForm({ onSignedIn, back, newTab }: Props) {
  const offered = useRead(waysIn);
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [isProofAsked, setProofAsked] = useState(false);
  const { attempt, busy, error, wait } = useAttempt();
  const [unused, setUnused] = useState<unknown>();
  const field = useRef<HTMLInputElement>(null);
  const isOffered = offered.data !== undefined;

  useEffect(() => {
    if (isOffered) field.current?.focus();
  }, [isOffered, isProofAsked]);

  async function signIn(event: FormEvent) {
    event.preventDefault();
    setUnused(undefined);
    const askForProof = (failure: unknown) => {
      const isAsking = isAskingForProof(failure);
      if (isAsking) setProofAsked(true);
      return isAsking;
    };
    if (await attempt(planSignIn(username, password), askForProof)) onSignedIn();
  }

  async function signInByPasskey(answer: Schemas["PasskeyAnswer"]) {
    if (await attempt(planPasskeySignIn(answer))) onSignedIn();
  }

  if (!offered.data) return <Unread read={offered} rows={4} />;
  if (isProofAsked)
    return (
      <SecondStep
        username={username}
        password={password}
        onSignedIn={onSignedIn}
        onBack={() => {
          setPassword("");
          setProofAsked(false);
        }}
      />
    );
  const { options, defaultHidden } = offered.data;
  return (
    <Stack gap="md">
      {options.map(({ message, path, icon }) => (
        <Button
          key={path}
          component="a"
          variant="default"
          leftSection={icon && <ProviderIcon icon={icon} />}
          href={`${path}${back ? `?redirect=${encodeURIComponent(back)}` : ""}`}
          target={newTab ? "_blank" : undefined}
          rel="noreferrer"
        >
          {message}
        </Button>
      ))}
      {options.length > 0 && !defaultHidden && <Divider label="or" />}
      {!defaultHidden && (
        <form onSubmit={(event) => void signIn(event)}>
          <Stack gap="md">
            <TextInput
              label="User name or email"
              autoComplete="username"
              required
              maxLength={255}
              ref={field}
              value={username}
              onChange={(event) => setUsername(event.currentTarget.value)}
            />
            <PasswordInput
              label="Password"
              autoComplete="current-password"
              required
              maxLength={1000}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
            />
            <Problem error={unused ?? error} />
            <AttemptButton busy={busy} wait={wait}>
              Sign in
            </AttemptButton>
            <PasskeyButton
              disabled={busy || wait > 0}
              onAnswer={(answer) => void signInByPasskey(answer)}
              onError={setUnused}
            >
              Sign in with a passkey
            </PasskeyButton>
            <Link to="/forgotten" target={newTab ? "_blank" : undefined}>
              Forgot your password?
            </Link>
          </Stack>
        </form>
      )}
    </Stack>
  );
}

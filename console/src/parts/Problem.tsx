import { Alert, Button, CopyButton, Group, List, Text } from "@mantine/core";
import { IconAlertTriangle, IconLock } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import { GivenUp, Refusal, Unreachable } from "../api/refusal";
import { inWords } from "./notices";
import { titleOf as titleInWords } from "../words/errors";
import { PasskeyUnused } from "./second-factor/passkey";
import { WhoCan } from "./WhoCan";
import { WithMoments } from "./Moment";

interface Props {
  error: unknown;
  /** Reads again; a form that failed to save has its own button. */
  again?: () => void;
}

/** Why something is not there, or was not done. */
export function Problem({ error, again }: Props) {
  useTryingAgain(error, again);
  const shown = useRef<HTMLDivElement>(null);
  // In a long form it would be out of sight.
  useEffect(() => {
    if (error && !again) shown.current?.scrollIntoView({ block: "nearest" });
  }, [error, again]);
  if (!error) return null;
  // Other refusals of this status say that things are not so that it can be done.
  const isForbidden = error instanceof Refusal && error.name === "NoAccessError";
  const [first, ...others] = error instanceof Unreachable ? [away(again !== undefined)] : inWords(error);
  return (
    <Alert
      ref={shown}
      role="alert"
      color={isForbidden ? "stone" : "red"}
      variant="outline"
      className="problem"
      icon={isForbidden ? <IconLock size={18} aria-hidden /> : <IconAlertTriangle size={18} aria-hidden />}
      title={titleOf(error)}
    >
      <Text size="sm" className="breaks">
        <WithMoments text={first} />
      </Text>
      {others.length > 0 && (
        <List size="sm" mt={4}>
          {others.map((line) => (
            <List.Item key={line} className="breaks">
              <WithMoments text={line} />
            </List.Item>
          ))}
        </List>
      )}
      {isForbidden && <WhoCan />}
      {error instanceof Refusal && <Details error={error} />}
      <Group gap="sm" mt="sm">
        {again && (
          <Button size="compact-sm" variant="default" onClick={again}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** What the API calls it, for whoever reports it. */
function Details({ error }: { error: Refusal }) {
  const { id, name, message } = error.body;
  return (
    <details className="request">
      <summary>Details</summary>
      <Text size="sm" className="breaks">
        {error.status} {name}: <WithMoments text={message} />
      </Text>
      {id && (
        <Group gap="sm" mt={4}>
          <Text size="sm" className="mono breaks">
            {id}
          </Text>
          <CopyButton value={id}>
            {({ copied, copy }) => (
              <Button size="compact-sm" variant="default" onClick={copy}>
                {copied ? "Copied" : "Copy the error id"}
              </Button>
            )}
          </CopyButton>
        </Group>
      )}
    </details>
  );
}

const pause = 5_000;

const away = (isAsked: boolean) =>
  isAsked
    ? "It is asked again every five seconds."
    : "What you typed is still here: send it again once the server is back.";

/** A server that is away is asked again until it is back; what it refused is not. */
function useTryingAgain(error: unknown, again: (() => void) | undefined) {
  const latest = useRef(again);
  useEffect(() => {
    latest.current = again;
  });
  const isAway = error instanceof Unreachable && again !== undefined;
  useEffect(() => {
    if (!isAway) return;
    const timer = setInterval(() => latest.current?.(), pause);
    return () => clearInterval(timer);
  }, [isAway]);
}

function titleOf(error: unknown): string {
  if (error instanceof GivenUp) return "No answer yet";
  if (error instanceof PasskeyUnused) return "No passkey was used";
  if (!(error instanceof Refusal)) return "The server does not answer";
  return titleInWords(error.name);
}

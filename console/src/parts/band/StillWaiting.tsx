import { Button, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { usePending } from "../../api/pending";
import { useAskAgain } from "../../api/queries";
import { Band } from "./Band";

/** Longer than a server that is merely busy takes. */
const patience = 5_000;

/** Tells that an answer takes long, and lets the person wait no longer or ask anew. */
export function StillWaiting() {
  const calls = usePending();
  const askAgain = useAskAgain();
  const [now, setNow] = useState(0);
  const isWaiting = calls.length > 0;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => setNow(performance.now()), 1_000);
    return () => clearInterval(timer);
  }, [isWaiting]);
  const late = calls.filter(({ began }) => now - began >= patience);
  if (late.length === 0) return null;
  const longest = Math.max(...late.map(({ began }) => now - began));
  return (
    <Band role="status">
      <Text size="sm">
        Still waiting for the server …{" "}
        <span aria-hidden className="figures muted">
          {Math.round(longest / 1000)} s
        </span>
      </Text>
      {!late.some(({ isWrite }) => isWrite) && (
        <Button size="compact-sm" variant="default" onClick={() => void askAgain()}>
          Ask again
        </Button>
      )}
      <Button size="compact-sm" variant="default" onClick={() => late.forEach(({ stop }) => stop())}>
        Stop waiting
      </Button>
    </Band>
  );
}

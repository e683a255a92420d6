import { Button } from "@mantine/core";

interface Props {
  busy: boolean;
  /** Seconds until the next attempt. */
  wait: number;
  variant?: "default";
  children: string;
}

/** Sends what the server counts; after too many attempts it says how long to wait, and nothing else says it too. */
export function AttemptButton({ busy, wait, variant, children }: Props) {
  return (
    <>
      <Button type="submit" variant={variant} loading={busy} disabled={wait > 0}>
        {wait > 0 ? `Too many attempts: try again in ${wait} s` : children}
      </Button>
      <span className="visually-hidden" role="status">
        {wait > 0 ? "Too many attempts" : ""}
      </span>
    </>
  );
}

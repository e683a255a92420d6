import { Alert } from "@mantine/core";

/** Says what of a past the event log does not hold; nothing where it holds all. */
export function NotExact({ missing }: { missing: readonly string[] }) {
  if (missing.length === 0) return null;
  return (
    <Alert color="stone" variant="outline" role="note" className="problem" title="This is not exact">
      {missing.map((line) => (
        <div key={line}>{line}</div>
      ))}
    </Alert>
  );
}

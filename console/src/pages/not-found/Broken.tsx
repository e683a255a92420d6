import { Button, Text, Title } from "@mantine/core";

/** A fault of the console itself: what it knows of it, and the way on. */
export function Broken({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <main className="waiting">
      <Title order={1}>This page broke</Title>
      <Text my="md" className="breaks">
        {error instanceof Error ? error.message : String(error)}
      </Text>
      <Button onClick={reset}>Try again</Button>
    </main>
  );
}

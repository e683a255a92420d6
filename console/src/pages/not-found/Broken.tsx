import { Button, Text, Title } from "@mantine/core";

interface Props {
  error: unknown;
  reset: () => void;
}

/** A fault of the console itself: what is known of it, and the way on. */
export function Broken({ error, reset }: Props) {
  return (
    <div className="waiting">
      <Title order={1}>This page broke</Title>
      <Text my="md" className="breaks">
        {error instanceof Error ? error.message : String(error)}
      </Text>
      <Button onClick={reset}>Try again</Button>
    </div>
  );
}

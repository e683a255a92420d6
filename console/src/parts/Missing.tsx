import { Button, Text, Title } from "@mantine/core";
import type { Trouble } from "../api/bundle";
import { Band } from "./band/Band";

interface Props {
  trouble: Trouble;
  isBeside: boolean;
}

const words: Record<Trouble, { title: string; told: string }> = {
  away: {
    title: "The server does not answer",
    told: "The server does not answer. Trying again every five seconds.",
  },
  again: {
    title: "This part could not be loaded",
    told: "This part of the console could not be loaded. Trying again every five seconds; some browsers need a reload for it. What you typed stays until then.",
  },
  newer: {
    title: "A newer console",
    told: "The server has a newer console, and this part could not be loaded. What you typed stays until you reload.",
  },
};

/** Tells that a part of the console has not come, where it would be or below a page that goes on working. */
export function Missing({ trouble, isBeside }: Props) {
  const { title, told } = words[trouble];
  // Chromium before 149 keeps a part that failed, and the parts that it needs, as failed until the page is loaded anew.
  const reload = trouble !== "away" && (
    <Button size="compact-sm" onClick={() => location.reload()}>
      Reload
    </Button>
  );
  if (isBeside) {
    return (
      <Band role="alert">
        <Text size="sm">{told}</Text>
        {reload}
      </Band>
    );
  }
  return (
    <div role="alert" className="card">
      <Title order={1} size="h2">
        {title}
      </Title>
      <Text my="md">{told}</Text>
      {reload}
    </div>
  );
}

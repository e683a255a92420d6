import { Button, Group, List, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { keyOf, useExactRead } from "../../api/queries";
import type { Planned, Schemas } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct, type Acting } from "../../parts/act";
import areaClasses from "../../parts/area/Area.module.css";
import { same } from "../../parts/conflict/merge";
import { Moment, WithMoments } from "../../parts/Moment";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import { Outcome } from "./Outcome";
import { placeInWords } from "../../words/rules";

interface Props {
  /** Begins a trial of what the form holds. */
  request: Planned<Schemas["SignInTrial"]>;
  planOutcome: (trialId: string) => Planned<Schemas["SignInTrialOutcome"]>;
  /** What a trial needs and the form lacks, as that calls it. */
  lacking: readonly string[];
  /** Of the form around it, which then tells what was refused at its fields. */
  acting?: Acting;
}

/** Signs somebody in by settings that are not saved: nothing of them counts, and nobody gets a session. */
export function Trial({ request, planOutcome, lacking, acting }: Props) {
  const [trial, setTrial] = useState<{
    begun: Schemas["SignInTrial"];
    by: Planned;
    outcome: Planned<Schemas["SignInTrialOutcome"]>;
  }>();
  const alone = useAct({ inline: true });
  const { act, busy, error } = acting ?? alone;

  async function begin() {
    const done = await act({ request });
    if (done) setTrial({ begun: done.data, by: request, outcome: planOutcome(done.data.id) });
  }

  return (
    <section className={acting ? areaClasses.section : `card ${areaClasses.narrow}`} aria-label="Try it out">
      <Stack gap="sm" align="start">
        <Title order={acting ? 3 : 2}>Try it out before saving</Title>
        <Text size="sm">
          You sign in at the provider by what stands above, and see who you would be here. Nothing is saved.
        </Text>
        {!acting && <Problem error={error} />}
        <RequestPreview requests={[request]} />
        <ActionButton
          variant="default"
          request={request}
          loading={busy}
          because={lacking.length > 0 ? `A trial needs: ${lacking.join(", ")}.` : undefined}
          onClick={() => void begin()}
        >
          Try it out
        </ActionButton>
        {trial && (
          <>
            {!same(keyOf(trial.by), keyOf(request)) && (
              <Text size="sm" className="warning">
                You changed the form since: this is of the settings before.
              </Text>
            )}
            <Running key={trial.begun.id} trial={trial.begun} planned={trial.outcome} />
          </>
        )}
      </Stack>
    </section>
  );
}

interface RunningProps {
  trial: Schemas["SignInTrial"];
  /** Asks what has come of it. */
  planned: Planned<Schemas["SignInTrialOutcome"]>;
}

function Running({ trial, planned }: RunningProps) {
  const [isOver, setOver] = useState(false);
  const read = useExactRead(planned, { refetchInterval: isOver ? false : 2_000 });
  const outcome = read.data;
  if (!isOver && (read.error || (outcome && outcome.state !== "waiting"))) setOver(true);
  return (
    <>
      {trial.checks.length > 0 && (
        <List size="sm" listStyleType="none" aria-label="What was looked at">
          {trial.checks.map(({ name, ok, message }) => (
            <List.Item key={name} className={`breaks ${ok ? "good" : "danger"}`}>
              <span aria-hidden>{ok ? "✓" : "✗"}</span> {placeInWords(name)}: <WithMoments text={message} />
            </List.Item>
          ))}
        </List>
      )}
      {(!outcome || outcome.state === "waiting") && !read.error && (
        <Group gap="sm">
          <Button component="a" href={trial.url} target="_blank" rel="noreferrer">
            Sign in at the provider
          </Button>
          <Text size="sm" className="muted" role="status">
            Opens in a new tab; this page waits for the result. The test expires <Moment at={trial.expiresAt} />.
          </Text>
        </Group>
      )}
      <Problem error={read.error} />
      {outcome && outcome.state !== "waiting" && <Outcome outcome={outcome} />}
    </>
  );
}

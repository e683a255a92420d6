import { Button, Group, List, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useExactRead } from "../../api/queries";
import type { Schemas } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import areaClasses from "../../parts/area/Area.module.css";
import { Moment, WithMoments } from "../../parts/Moment";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import { planOutcome, planTrial, type Field, type Protocol, type Values } from "./fields";
import { Outcome } from "./Outcome";
import { placeInWords } from "../../words/rules";

interface Props {
  protocol: Protocol;
  values: Values;
  lacking: Field[];
}

/** Signs somebody in by settings that are not saved: nothing of them counts, and nobody gets a session. */
export function Trial({ protocol, values, lacking }: Props) {
  const [trial, setTrial] = useState<{ begun: Schemas["SignInTrial"]; values: Values }>();
  const { act, busy, error } = useAct({ inline: true });
  const planned = planTrial(protocol, values);

  async function begin() {
    const done = await act({ request: planned });
    if (done) setTrial({ begun: done.data, values });
  }

  return (
    <section className={`card ${areaClasses.narrow}`} aria-label="Try it out">
      <Stack gap="sm" align="start">
        <Title order={2}>Try it out before saving</Title>
        <Text size="sm">
          You sign in at the provider by what stands above, and see who you would be here. Nothing is saved.
        </Text>
        <Problem error={error} />
        <RequestPreview requests={[planned]} />
        <ActionButton
          variant="default"
          request={planned}
          loading={busy}
          because={lacking.length > 0 ? `A trial needs: ${lacking.map(({ label }) => label).join(", ")}.` : undefined}
          onClick={() => void begin()}
        >
          Try it out
        </ActionButton>
        {trial && (
          <>
            {trial.values !== values && (
              <Text size="sm" className="warning">
                You changed the form since: this is of the settings before.
              </Text>
            )}
            <Running key={trial.begun.id} protocol={protocol} trial={trial.begun} />
          </>
        )}
      </Stack>
    </section>
  );
}

function Running({ protocol, trial }: { protocol: Protocol; trial: Schemas["SignInTrial"] }) {
  const planned = planOutcome(protocol, trial.id);
  const [isOver, setOver] = useState(false);
  const read = useExactRead(planned, { refetchInterval: isOver ? false : 2_000 });
  const outcome = read.data;
  if (!isOver && (read.error || (outcome && outcome.state !== "waiting"))) setOver(true);
  return (
    <>
      <List size="sm" listStyleType="none" aria-label="What was looked at">
        {trial.checks.map(({ name, ok, message }) => (
          <List.Item key={name} className={`breaks ${ok ? "good" : "danger"}`}>
            <span aria-hidden>{ok ? "✓" : "✗"}</span> {placeInWords(name)}: <WithMoments text={message} />
          </List.Item>
        ))}
      </List>
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

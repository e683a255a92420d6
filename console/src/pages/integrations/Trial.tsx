import { Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import areaClasses from "../../parts/area/Area.module.css";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import { planTest } from "./integrations";
import { Outcome, Sent } from "./Sent";

/** Sends a sample on the way of real events, and tells what the receiver said. */
export function Trial({ id }: { id: number }) {
  const { act, busy, error } = useAct({ inline: true });
  const [outcome, setOutcome] = useState<Schemas["AddonTrialOutcome"]>();

  async function run() {
    setOutcome(undefined);
    const answer = await act({ request: planTest(id) });
    setOutcome(answer?.data);
  }

  return (
    <section className={areaClasses.section} aria-label="Test">
      <Stack gap="sm">
        <Group gap="sm">
          <ActionButton
            request={planTest(id)}
            variant="default"
            size="compact-sm"
            loading={busy}
            onClick={() => void run()}
          >
            Test
          </ActionButton>
          <Text size="sm" className="muted">
            Sends a sample by what is saved, and waits for the answer.
          </Text>
        </Group>
        <div role="status">{outcome && <Outcome state={outcome.state} words={outcome.stateDetails} />}</div>
        {outcome && <Sent details={outcome.details} />}
        <Problem error={error} />
        <RequestPreview requests={[planTest(id)]} />
      </Stack>
    </section>
  );
}

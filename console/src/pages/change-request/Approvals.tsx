import { Button, Group, MultiSelect, Stack, Title } from "@mantine/core";
import { useState } from "react";
import { useMe, useRead } from "../../api/queries";
import { useAct } from "../../parts/act";
import {
  askingReviewers,
  availableReviewersRequest,
  isOpen,
  personOf,
  reviewersRequest,
} from "../../parts/change-requests/requests";
import { Moment } from "../../parts/Moment";
import { fullNameOf, nameOf } from "../../parts/people";
import { Problem } from "../../parts/Problem";
import classes from "./ChangeRequest.module.css";
import type { Shown } from "./shown";
import { Required } from "./Required";

/** How many approvals there are and are needed, and who was asked for theirs. */
export function Approvals({ request }: Shown) {
  const me = useMe();
  const [isAsking, setAsking] = useState(false);
  const asked = useRead(reviewersRequest(request)).data?.reviewers ?? [];
  const { approvals, minApprovals } = request;
  const given = new Set(approvals.map(({ createdBy }) => createdBy.id));
  const canAsk = isOpen(request.state) && me?.user.id === request.createdBy.id;
  return (
    <section className="card" aria-label="Approvals">
      <Title order={2}>Approvals</Title>
      <p className="figures">
        {approvals.length} of {minApprovals}
        {minApprovals === 0 && ": none is needed"}
      </p>
      <ul className={classes.list}>
        {approvals.map(({ createdBy, createdAt }) => (
          <li key={createdBy.id} className="breaks">
            <span className="good">✓ </span>
            <bdi>{personOf(createdBy)}</bdi> approved it <Moment at={createdAt} />
          </li>
        ))}
        {asked
          .filter(({ id }) => !given.has(id))
          .map((reviewer) => (
            <li key={reviewer.id} className="breaks">
              <bdi>{nameOf(reviewer)}</bdi> <span className="muted">was asked</span>
            </li>
          ))}
      </ul>
      <Required request={request} />
      {canAsk && !isAsking && (
        <Button variant="default" size="compact-sm" mt="sm" onClick={() => setAsking(true)}>
          Ask for approval …
        </Button>
      )}
      {canAsk && isAsking && (
        <Asking request={request} asked={asked.map(({ id }) => id)} onClose={() => setAsking(false)} />
      )}
    </section>
  );
}

interface AskingProps {
  request: Shown["request"];
  asked: readonly number[];
  onClose: () => void;
}

function Asking({ request, asked, onClose }: AskingProps) {
  const [chosen, setChosen] = useState(asked.map(String));
  const { act, busy, error } = useAct({ inline: true });
  const available = useRead(availableReviewersRequest(request.project, request.environment));
  const people = (available.data?.reviewers ?? []).filter(({ id }) => id !== request.createdBy.id);

  async function save() {
    const done = await act({
      request: askingReviewers(request, chosen.map(Number)),
      done: chosen.length ? "They are asked for their approval." : "Nobody is asked any more.",
    });
    if (done) onClose();
  }

  return (
    <Stack gap="sm" mt="sm">
      <MultiSelect
        data-autofocus
        label="Whom to ask"
        description="Anybody else who may approve still can."
        searchable
        limit={50}
        data={people.map((person) => ({ value: String(person.id), label: fullNameOf(person) }))}
        value={chosen}
        onChange={setChosen}
        nothingFoundMessage="Nobody else may approve here"
      />
      <Problem error={error ?? available.error} />
      <Group gap="sm">
        <Button size="compact-sm" loading={busy} onClick={() => void save()}>
          Ask them
        </Button>
        <Button size="compact-sm" variant="default" onClick={onClose}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}

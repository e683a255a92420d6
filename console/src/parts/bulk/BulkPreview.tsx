import { Alert, Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client";
import { useMe, useRefresh } from "../../api/queries";
import { eventInWords } from "../events/sentence";
import { tellDone, tellFailure } from "../notices";
import { some } from "../strategies/audience";
import { Problem } from "../Problem";
import { RequestPreview } from "../requests/RequestPreview";
import { Waiting } from "../Waiting";
import {
  effects,
  idOf,
  inWords,
  permitted,
  planned,
  reversed,
  undoInWords,
  withoutParents,
  type LeftOut,
  type Named,
  type Task,
} from "./bulk";
import { counted } from "../../words/counts";

interface Props {
  task: Task;
  features: Named[];
  inProduction: boolean;
  onClose: (done: boolean) => void;
}

/** Above so many features, production asks for their number. */
const few = 10;
const listed = 50;

/** What the server says would happen, before it does. */
export function BulkPreview({ task, features, inProduction, onClose }: Props) {
  const refresh = useRefresh();
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const permissions = useMe()?.permissions ?? [];
  const dryRun = useQuery({
    queryKey: ["dryRun", task, features.map(idOf)],
    queryFn: async () => {
      const allowed = permitted(task, features, permissions);
      const split =
        task.kind === "archive" ? await withoutParents(allowed, async (one) => (await send(one)).data) : allowed;
      const answers = await Promise.all(planned(task, split.can, true).map((one) => send(one)));
      return { ...split, effects: effects(answers.map(({ data }) => data)) };
    },
    gcTime: 0,
    retry: false,
  });
  const can = dryRun.data?.can ?? [];
  const cannot = dryRun.data?.cannot ?? [];
  const requests = planned(task, can, false);
  const changed = can.filter((feature) => dryRun.data?.effects.has(idOf(feature)));
  const left = can.length - changed.length;
  const mustType = inProduction && changed.length > few;

  async function run() {
    setBusy(true);
    setError(undefined);
    try {
      for (const one of requests) await send(one);
      tellDone(`${inWords(task)}: ${counted(changed.length, "flag")}.`, {
        label: inProduction ? undoInWords(task) : undefined,
        run: () => void takeBack(),
      });
      void refresh();
      onClose(true);
    } catch (failure) {
      setError(failure);
      void refresh();
    } finally {
      setBusy(false);
    }
  }

  async function takeBack() {
    try {
      for (const one of reversed(task, changed)) await send(one);
      tellDone(inProduction ? `${undoInWords(task)}: ${counted(changed.length, "flag")}.` : "Taken back.");
    } catch (failure) {
      tellFailure(failure);
    }
    void refresh();
  }

  return (
    <Modal opened onClose={() => onClose(false)} size="lg" title={inWords(task)}>
      <Stack gap="md">
        {dryRun.error ? (
          <Problem error={dryRun.error} again={() => void dryRun.refetch()} />
        ) : !dryRun.data ? (
          <Waiting />
        ) : (
          <>
            <p>
              <strong>
                {changed.length} of {features.length} flags will change
                {inProduction ? " in ▲ production" : ""}.
              </strong>{" "}
              {left > 0 && `${left} are like that already and are left as they are.`}
            </p>
            {cannot.length > 0 && <Cannot task={task} leftOut={cannot} />}
            <div className="preview" tabIndex={0} role="region" aria-label="What will change">
              <ul>
                {changed.slice(0, listed).map((feature) => (
                  <li key={idOf(feature)} className="breaks">
                    <bdi>{feature.name}</bdi>{" "}
                    <span className="muted">
                      {feature.project}: {dryRun.data.effects.get(idOf(feature))?.map(eventInWords).join(", ")}
                    </span>
                  </li>
                ))}
                {changed.length > listed && <li className="muted">and {changed.length - listed} more</li>}
              </ul>
            </div>
          </>
        )}
        {mustType && (
          <TextInput
            label={`Type ${changed.length}, the number of flags that change in production`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            inputMode="numeric"
          />
        )}
        <Problem error={error} />
        <RequestPreview requests={requests} />
        <Group justify="flex-end" gap="sm" className="actions">
          <Button variant="default" onClick={() => onClose(false)} data-autofocus>
            Cancel
          </Button>
          <Button
            color={task.kind === "archive" ? "red" : undefined}
            loading={busy}
            disabled={changed.length === 0 || (mustType && typed.trim() !== String(changed.length))}
            onClick={() => void run()}
          >
            {cannot.length > 0 ? `${inWords(task)}: the ${changed.length} that can` : inWords(task)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Those that are left out, by the reason. */
function Cannot({ task, leftOut }: { task: Task; leftOut: LeftOut[] }) {
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))];
  return (
    <Alert color="yellow" variant="outline" className="problem" role="note" title={titleOf(task, leftOut.length)}>
      {reasons.map((reason) => {
        const names = leftOut.filter((one) => one.reason === reason).map(({ feature }) => feature.name);
        return (
          <p key={reason} className="breaks">
            <bdi>{some(names, 5)}</bdi>: {reason}
          </p>
        );
      })}
    </Alert>
  );
}

const titleOf = (task: Task, count: number) =>
  `${count} ${count === 1 ? "flag" : "flags"} cannot be ${task.kind === "archive" ? "archived" : "changed"}`;

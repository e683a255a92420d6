import { NumberInput, Switch } from "@mantine/core";
import { useState } from "react";
import { send } from "../../../api/client";
import { onlyFor } from "../../../api/request";
import { useAct } from "../../../parts/act";
import { confirm } from "../../../parts/confirm";
import { merged } from "../../../parts/conflict/merge";
import { useDraft } from "../../../parts/forms/useDraft";
import { AtField } from "../../../parts/forms/AtField";
import { Form } from "../../../parts/forms/FormDrawer";
import { Differences } from "../Differences";
import {
  canBeTakenBack,
  differences,
  draftOf,
  labels,
  planAccountPolicy,
  readAccountPolicy,
  shortened,
  type Draft,
  type Effect,
} from "./accountPolicy";
import { PolicyEffect } from "./PolicyEffect";

/** The numbers of days, with what they mean. */
const days = [
  ["personalTokenDays", "1 to 3,650. Empty: the limit of the operator."],
  ["serviceAccountTokenDays", "1 to 3,650. Empty: the limit of the operator."],
  [
    "inactiveUserDays",
    "7 to 3,650 days without sign-in, session or personal token. Empty: nobody is deactivated. Service accounts, users of a directory and the last administrator are not concerned.",
  ],
] as const;

/** The form of the policy, which says before saving whom and what it concerns. */
export function AccountPolicy({ stored }: { stored: Draft }) {
  const { start, draft, isChanged, change: set, setStart, setDraft } = useDraft(stored);
  const [isLooking, setLooking] = useState(false);
  const { act, busy, error, setError } = useAct({ inline: true });

  async function save() {
    let fresh: Draft;
    let wanted: Draft;
    let effect: Effect;
    let version: string | undefined;
    setLooking(true);
    setError(undefined);
    try {
      const read = await send(readAccountPolicy);
      fresh = draftOf(read.data);
      version = read.version;
      wanted = merged(start, fresh, draft, {}) as Draft;
      effect = (await send(planAccountPolicy(wanted, { dryRun: true }))).data;
    } catch (failure) {
      return setError(failure);
    } finally {
      setLooking(false);
    }
    const change = onlyFor(planAccountPolicy(wanted), version);
    const isSure = await confirm({
      title: "What saving changes",
      action: "Save",
      danger:
        shortened(effect).length > 0 ||
        (effect.expiring.total > 0 && wanted.inactiveUserDays !== fresh.inactiveUserDays),
      requests: [change],
      consequence: (
        <>
          <Differences mine={differences(fresh, wanted)} theirs={differences(start, fresh)} />
          <PolicyEffect effect={effect} />
        </>
      ),
    });
    if (!isSure) return;
    const done = await act({
      request: change,
      done: "The policy on accounts is saved.",
      undo: (answer) => (canBeTakenBack(fresh, answer) ? planAccountPolicy(fresh) : undefined),
    });
    if (!done) return;
    setStart(wanted);
    setDraft(wanted);
  }

  return (
    <Form
      request={planAccountPolicy(draft)}
      action="Save …"
      busy={busy || isLooking}
      error={error}
      because={isChanged ? undefined : "Nothing is changed yet."}
      onSubmit={() => void save()}
    >
      <Switch
        label={labels.personalTokensAllowed}
        description="Off, nobody creates any more, administrators included. Tokens that exist stay, and so do those of service accounts."
        checked={draft.personalTokensAllowed}
        onChange={(event) => set({ personalTokensAllowed: event.currentTarget.checked })}
      />
      {days.map(([name, description]) => (
        <AtField key={name} of={name}>
          <NumberInput
            label={labels[name]}
            description={description}
            allowDecimal={false}
            allowNegative={false}
            value={draft[name]}
            onChange={(value) => set({ [name]: String(value) })}
          />
        </AtField>
      ))}
    </Form>
  );
}

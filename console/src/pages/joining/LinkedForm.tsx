import { Stack } from "@mantine/core";
import { useState, type FormEvent, type ReactNode, type Ref } from "react";
import { AttemptButton } from "../../parts/AttemptButton";
import type { useAttempt } from "../../parts/attempt";
import { Problem } from "../../parts/Problem";
import { NewPassword, type Typed } from "./NewPassword";
import { isDeadLink, isSaidBeside } from "./refused";

interface Props {
  attempt: ReturnType<typeof useAttempt>;
  typed: Typed;
  onTyped: (typed: Typed) => void;
  /** Names of the body that have a field here. */
  fields: readonly string[];
  action: string;
  /** What to do about a link that ended while the form was open. */
  dead: ReactNode;
  onSubmit: () => void;
  firstField?: Ref<HTMLInputElement>;
  children?: ReactNode;
}

/** What is sent by a link: the fields above, and a new password. */
export function LinkedForm(props: Props) {
  const { attempt, typed, onTyped, fields, action, dead, onSubmit, firstField, children } = props;
  const { error, busy, wait } = attempt;
  const [differs, setDiffers] = useState(false);

  function submit(event: FormEvent) {
    event.preventDefault();
    const same = typed.password === typed.again;
    setDiffers(!same);
    if (same && !busy && wait === 0) onSubmit();
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {children}
        <NewPassword typed={typed} onChange={onTyped} error={error} differs={differs} first={firstField} />
        {isDeadLink(error) ? dead : !isSaidBeside(error, fields) && <Problem error={error} />}
        <AttemptButton busy={busy} wait={wait}>
          {action}
        </AttemptButton>
      </Stack>
    </form>
  );
}

import { Text } from "@mantine/core";
import { useState, type ReactNode } from "react";
import type { Planned } from "../../api/request";
import { useAct } from "../../parts/act";
import { CurrentPassword } from "../../parts/CurrentPassword";
import { Form, FormDrawer } from "../../parts/forms/FormDrawer";
import { ProofInput } from "../../parts/second-factor/ProofInput";
import { notBeside, wrongPassword, type Proof } from "../../parts/second-factor/requests";

interface Props<A> {
  title: string;
  action: string;
  done?: string;
  hasFactor?: boolean;
  /** Whether there may be no password. */
  mayLackPassword?: boolean;
  plan: (password: string, proof: Proof | undefined) => Planned<A>;
  onDone: (answer: A) => void;
  onClose: () => void;
  children: ReactNode;
}

/** A change of how one signs in, with the password and, where there is one, a proof of the second factor. */
export function Proved<A>(props: Props<A>) {
  const { title, action, done, hasFactor = true, mayLackPassword = false, plan, onDone, onClose, children } = props;
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const { act, busy, error } = useAct({ inline: true });
  const typed = hasFactor ? { code } : undefined;

  async function run(proof?: Proof) {
    const answer = await act({ request: plan(password, proof), done });
    if (answer) onDone(answer.data);
  }

  return (
    <FormDrawer title={title} onClose={onClose}>
      <Form
        request={plan(password, typed)}
        action={action}
        busy={busy}
        error={notBeside(error)}
        because={
          password === "" && !mayLackPassword
            ? "The current password is missing."
            : hasFactor && !code.trim()
              ? "The code is missing."
              : undefined
        }
        onSubmit={() => void run(typed)}
        onCancel={onClose}
      >
        <Text size="sm">{children}</Text>
        <CurrentPassword
          description={mayLackPassword ? "Leave it empty if you have none." : undefined}
          value={password}
          error={wrongPassword(error)}
          onChange={setPassword}
        />
        {hasFactor && (
          <ProofInput
            code={code}
            onChange={setCode}
            onAnswer={(passkey) => void run({ passkey })}
            isWaiting={busy || password === ""}
            error={error}
          />
        )}
      </Form>
    </FormDrawer>
  );
}

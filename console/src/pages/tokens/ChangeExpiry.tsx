import { Text } from "@mantine/core";
import { useState } from "react";
import { useAct } from "../../parts/act";
import { Expiry } from "../../parts/forms/Expiry";
import { Form, FormDrawer } from "../../parts/forms/FormDrawer";
import { planExpiry, type Token } from "./tokens";

/** Gives a token another end: the one thing about it that changes. */
export function ChangeExpiry({ token, onClose }: { token: Token; onClose: () => void }) {
  const [expiresAt, setExpiresAt] = useState(token.expiresAt);
  const { act, busy, error } = useAct({ inline: true });
  const planned = planExpiry(token, expiresAt);

  async function save() {
    const done = await act({
      request: planned,
      done: `${token.tokenName} ${expiresAt ? "ends at another moment" : "has no end"} now.`,
      undo: planExpiry(token, token.expiresAt),
    });
    if (done) onClose();
  }

  return (
    <FormDrawer title={`Expiry of ${token.tokenName}`} onClose={onClose}>
      <Form
        request={planned}
        action="Save"
        busy={busy}
        error={error}
        because={expiresAt === token.expiresAt ? "Nothing is changed yet." : undefined}
        onSubmit={() => void save()}
        onCancel={onClose}
      >
        <Text size="sm">Requests with it are refused after that time. The secret stays the same.</Text>
        <Expiry label="Expires" days={[1, 7, 30, 90, 365]} orNever value={expiresAt} onChange={setExpiresAt} />
      </Form>
    </FormDrawer>
  );
}

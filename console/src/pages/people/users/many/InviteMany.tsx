import { Button, Group, Select, Stack, Text, Textarea } from "@mantine/core";
import { useRef, useState } from "react";
import { send } from "../../../../api/client";
import { useRefresh } from "../../../../api/queries";
import type { Schemas } from "../../../../api/request";
import { ActionButton } from "../../../../parts/ActionButton";
import { saveAsCsv } from "../../../../parts/csv";
import { FormDrawer } from "../../../../parts/forms/FormDrawer";
import { CopyValue } from "../../../../parts/SecretOnce";
import { leastRole } from "../../RoleField";
import { planUser } from "../NewUser";
import { addressesOf } from "./addresses";
import { inviteAll, type Outcome } from "./invite";
import classes from "./InviteMany.module.css";

interface Props {
  roles: readonly Schemas["Role"][];
  onClose: () => void;
}

const words: Record<Outcome["state"], string> = {
  invited: "✓ invited",
  refused: "✗ refused",
  "left out": "left out",
};

/** Creates a user for each address of a pasted list, with a link to set a password for each. */
export function InviteMany({ roles, onClose }: Props) {
  const [text, setText] = useState("");
  const [rootRole, setRootRole] = useState(() => leastRole(roles));
  const [outcomes, setOutcomes] = useState<Outcome[]>([]);
  const [state, setState] = useState<"typing" | "inviting" | "done">("typing");
  const [wait, setWait] = useState(0);
  const isStopped = useRef(false);
  const refresh = useRefresh();
  const { addresses, others } = addressesOf(text);
  const plan = ({ email, name }: { email: string; name: string }) => planUser({ email, name, username: "", rootRole });

  async function pause(seconds: number) {
    for (let left = seconds; left > 0 && !isStopped.current; left--) {
      setWait(left);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    setWait(0);
  }

  async function inviteThem() {
    if (addresses.length === 0) return;
    setState("inviting");
    isStopped.current = false;
    await inviteAll(addresses, {
      create: async (address) => {
        const { data } = await send(plan(address));
        return { inviteLink: data.inviteLink };
      },
      pause,
      isStopped: () => isStopped.current,
      tell: (outcome) => setOutcomes((before) => [...before, outcome]),
    });
    await refresh();
    setState("done");
  }

  return (
    <FormDrawer title="Invite many" onClose={() => state !== "inviting" && onClose()} size="lg">
      {state === "typing" ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void inviteThem();
          }}
        >
          <Stack gap="md">
            <Textarea
              data-autofocus
              label="Addresses"
              description="Separated by commas or lines, also as Ada Lovelace <ada@example.com>."
              autosize
              minRows={6}
              maxRows={16}
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              error={others.length > 0 ? `No address, and left out: ${others.slice(0, 5).join(", ")}` : undefined}
            />
            <Select
              label="Role in the whole instance"
              allowDeselect={false}
              data={roles.map(({ id, name }) => ({ value: String(id), label: name }))}
              value={rootRole}
              onChange={(value) => value && setRootRole(value)}
            />
            <Group justify="flex-end" gap="sm" className="actions">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <ActionButton
                type="submit"
                request={plan({ email: "…", name: "" })}
                because={addresses.length ? undefined : "Paste at least one address."}
              >
                Invite {addresses.length || ""}
              </ActionButton>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack gap="md">
          <Text role="status">
            {outcomes.length} of {addresses.length} done.
            {wait > 0 && ` The server takes the next one in ${wait} s.`}
          </Text>
          <ul className={classes.outcomes} aria-label="Outcomes">
            {outcomes.map(({ email, state, said }) => (
              <li key={email} className={classes.outcome}>
                <bdi className="breaks">{email}</bdi>{" "}
                <span className={state === "invited" ? "good" : "danger"}>{words[state]}</span>{" "}
                {state === "invited" ? (
                  <CopyValue value={said} what={`the link of ${email}`} />
                ) : (
                  <span className="breaks">{said}</span>
                )}
              </li>
            ))}
          </ul>
          <Text size="sm" className="muted">
            Each link lets its owner set a password within 7 days. They are shown this once: save them before you close.
          </Text>
          <Group justify="flex-end" gap="sm" className="actions">
            {state === "inviting" ? (
              <Button variant="default" onClick={() => (isStopped.current = true)}>
                Stop
              </Button>
            ) : (
              <>
                <Button
                  onClick={() =>
                    saveAsCsv("invitations", [
                      ["address", "outcome", "link or reason"],
                      ...outcomes.map(({ email, state, said }) => [email, state, said]),
                    ])
                  }
                >
                  Save as CSV
                </Button>
                <Button variant="default" onClick={onClose}>
                  Close
                </Button>
              </>
            )}
          </Group>
        </Stack>
      )}
    </FormDrawer>
  );
}

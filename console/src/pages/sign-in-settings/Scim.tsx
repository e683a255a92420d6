import { Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import areaClasses from "../../parts/area/Area.module.css";
import { confirm } from "../../parts/confirm";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import { SecretOnce } from "../../parts/SecretOnce";
import { Unread } from "../../parts/Unread";
import { Leaving } from "./Leaving";
import { ScimAddress } from "./ScimAddress";
import { ScimDirectories } from "./ScimDirectories";

const plan = (enabled: boolean) => request("post", "/api/admin/scim-settings", { body: { enabled } });
const newToken = request("post", "/api/admin/scim-settings/generate-new-token");

/** Whether the company's directory keeps users and groups, and how it comes in. */
export default function Scim() {
  const read = useRead(request("get", "/api/admin/scim-settings"));
  const [token, setToken] = useState<string>();
  const { act, busy, error } = useAct({ inline: true });
  if (!read.data) return <Unread read={read} rows={3} />;
  const { enabled, hasToken } = read.data;

  async function change() {
    const isSure =
      !enabled ||
      (await confirm({
        title: "Switch SCIM off",
        action: "Switch it off",
        danger: true,
        requests: [plan(false)],
        consequence: "No directory reaches anything here any more, and who leaves the company is not taken out by it.",
      }));
    if (isSure) await act({ request: plan(!enabled), done: enabled ? "SCIM is off." : "SCIM is on." });
  }

  async function generate() {
    const isSure =
      !hasToken ||
      (await confirm({
        title: "Create another token",
        action: "Create",
        danger: true,
        requests: [newToken],
        consequence: "The token before serves no more from that moment on.",
      }));
    if (!isSure) return;
    const made = await act({ request: newToken, done: "There is a token." });
    if (made) setToken(made.data.token);
  }

  return (
    <>
      <section className={`card ${areaClasses.narrow}`} aria-label="SCIM">
        <Stack gap="md" align="start">
          <Text>
            SCIM is <strong>{enabled ? "switched on" : "switched off"}</strong>.
            {enabled && !hasToken && " The default directory needs a token yet."}
          </Text>
          <Text size="sm">
            While it is on, the company&apos;s directory creates users and groups, changes them, and takes people out
            who leave. What it keeps is changed there; roles are given here.
          </Text>
          <ScimAddress />
          <Problem error={error} />
          <RequestPreview requests={[plan(!enabled)]} />
          <Group gap="sm">
            <ActionButton
              request={plan(!enabled)}
              loading={busy}
              color={enabled ? "red" : undefined}
              variant={enabled ? "outline" : "filled"}
              onClick={() => void change()}
            >
              {enabled ? "Switch SCIM off …" : "Switch SCIM on"}
            </ActionButton>
            <ActionButton request={newToken} loading={busy} variant="default" onClick={() => void generate()}>
              {hasToken ? "Create another token …" : "Create a token"}
            </ActionButton>
          </Group>
        </Stack>
        <Leaving enabled={enabled} />
        {token && (
          <SecretOnce title="The token of the default directory" secret={token} onClose={() => setToken(undefined)}>
            Whoever has it creates, changes and deletes users and groups. Give it to the directory and to nobody else.
          </SecretOnce>
        )}
      </section>
      <ScimDirectories />
    </>
  );
}

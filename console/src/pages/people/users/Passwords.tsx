import { Group, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { PasswordInput } from "../../../parts/PasswordInput";
import { Problem } from "../../../parts/Problem";
import { nameOf } from "../../../parts/people";
import { PasswordRules } from "../../../parts/PasswordRules";
import { meetsRules } from "../../../parts/passwords";
import { RequestPreview } from "../../../parts/requests/RequestPreview";
import { SecretOnce } from "../../../parts/SecretOnce";
import classes from "../../../parts/area/Area.module.css";

/** For who forgot the password: a link, or another password that is told them. */
export function Passwords({ user }: { user: Schemas["User"] }) {
  const [link, setLink] = useState<string>();
  const [password, setPassword] = useState("");
  const asking = useAct({ inline: true });
  const setting = useAct({ inline: true });
  const resetting = request("post", "/api/admin/user-admin/reset-password", { body: { id: user.id } });
  const change = request("post", "/api/admin/user-admin/{id}/change-password", {
    params: { path: { id: user.id } },
    body: { password },
  });

  async function ask() {
    const made = await asking.act({ request: resetting });
    if (made) setLink(made.data.resetPasswordUrl);
  }

  async function set() {
    const done = await setting.act({ request: change, done: `${nameOf(user)} has another password now.` });
    if (done) setPassword("");
  }

  return (
    <section className={classes.section} aria-label="Password">
      <Title order={3}>Password</Title>
      <Stack gap="md" mt="sm" align="start">
        <Text size="sm">The link lets them set one within 24 hours. The old password works until then.</Text>
        <Problem error={asking.error} />
        <ActionButton variant="default" request={resetting} loading={asking.busy} onClick={() => void ask()}>
          Create a link
        </ActionButton>
        <details>
          <summary>Or set a password yourself</summary>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (meetsRules(password)) void set();
            }}
          >
            <Stack gap="sm" mt="sm">
              <PasswordInput
                label="New password"
                description="Ends their sessions and their personal tokens."
                maxLength={1000}
                autoComplete="new-password"
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
                visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
              />
              <PasswordRules password={password} />
              <Problem error={setting.error} />
              <RequestPreview requests={[change]} />
              <Group>
                <ActionButton
                  type="submit"
                  request={change}
                  loading={setting.busy}
                  because={meetsRules(password) ? undefined : "The password does not meet the rules yet."}
                >
                  Set the password
                </ActionButton>
              </Group>
            </Stack>
          </form>
        </details>
      </Stack>
      {link && (
        <SecretOnce title="A link to set a password" secret={link} onClose={() => setLink(undefined)}>
          Give it to <bdi>{nameOf(user)}</bdi>, and to nobody else: whoever has it can come in as them. Earlier links do
          not work any more.
        </SecretOnce>
      )}
    </section>
  );
}

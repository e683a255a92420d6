import { Stack, Text } from "@mantine/core";
import { useInstance, useRead } from "../../api/queries";
import { request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import areaClasses from "../../parts/area/Area.module.css";
import { confirm } from "../../parts/confirm";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import { Unread } from "../../parts/Unread";

const plan = (disabled: boolean) => request("post", "/api/admin/auth/simple/settings", { body: { disabled } });

/** Whether people can sign in with a password. */
export function Passwords() {
  const read = useRead(request("get", "/api/admin/auth/simple/settings"));
  const counted = useRead(request("get", "/api/admin/user-admin/admin-count")).data;
  const isHidden = useInstance()?.disablePasswordAuth ?? false;
  const { act, busy, error } = useAct({ inline: true });
  if (!read.data) return <Unread read={read} rows={3} />;
  const { disabled } = read.data;

  async function change() {
    if (disabled) return void (await act({ request: plan(false), done: "People can sign in with a password again." }));
    const isSure = await confirm({
      title: "Switch passwords off",
      action: "Switch them off",
      danger: true,
      typed: "passwords",
      requests: [plan(true)],
      consequence: (
        <>
          Everybody signs in through the login provider only, administrators too. Should that fail, an operator on the
          machine itself runs <code>flagstone settings passwords on</code>.
        </>
      ),
    });
    if (isSure) await act({ request: plan(true), done: "Nobody can sign in with a password now." });
  }

  return (
    <section className={`card ${areaClasses.narrow}`} aria-label="Passwords">
      <Stack gap="md" align="start">
        <Text>
          Passwords are <strong>{disabled ? "switched off" : "switched on"}</strong>
          {disabled && !isHidden && ", which counts once people can sign in through a login provider"}.
        </Text>
        {counted && (
          <Text size="sm">
            Administrators with a password: {counted.password}, without: {counted.noPassword}.
          </Text>
        )}
        <Text size="sm">
          They can only be switched off by an administrator who signed in through a login provider with its present
          settings, so that this is known to work.
        </Text>
        <Problem error={error} />
        <RequestPreview requests={[plan(!disabled)]} />
        <ActionButton
          request={plan(!disabled)}
          loading={busy}
          color={disabled ? undefined : "red"}
          variant={disabled ? "filled" : "outline"}
          onClick={() => void change()}
        >
          {disabled ? "Switch passwords on" : "Switch passwords off …"}
        </ActionButton>
      </Stack>
    </section>
  );
}

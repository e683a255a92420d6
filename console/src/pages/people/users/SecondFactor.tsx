import { Text, Title } from "@mantine/core";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import classes from "../../../parts/area/Area.module.css";
import { confirm } from "../../../parts/confirm";
import { nameOf } from "../../../parts/people";

/** Whether somebody has a second factor, and the way back for who lost it. */
export function SecondFactor({ user }: { user: Schemas["User"] }) {
  const { act, busy } = useAct();
  const removing = request("delete", "/api/admin/user-admin/{id}/second-factor", { params: { path: { id: user.id } } });

  async function remove() {
    const isSure = await confirm({
      title: `Remove the second factor of ${nameOf(user)}`,
      action: "Remove it",
      danger: true,
      requests: [removing],
      consequence: (
        <>
          For somebody who lost the authenticator app or the passkeys and the recovery codes: be sure that it is really{" "}
          <bdi>{nameOf(user)}</bdi> who asks. None of them serves any more, and every session of theirs ends. Then their
          password alone lets them in, or, where a second factor is required of them, only to set up another one.
          Personal tokens stay.
        </>
      ),
    });
    if (isSure) await act({ request: removing, done: `${nameOf(user)} has no second factor any more.` });
  }

  return (
    <section className={classes.section} aria-label="Second factor">
      <Title order={3}>Second factor</Title>
      <Text size="sm" my="sm">
        {user.secondFactor
          ? "They have one: a password alone does not let them in."
          : "They have none. Everybody sets it up themselves, in Me, Security."}
      </Text>
      {user.secondFactor && (
        <ActionButton
          color="red"
          variant="outline"
          size="compact-sm"
          request={removing}
          loading={busy}
          onClick={() => void remove()}
        >
          Remove …
        </ActionButton>
      )}
    </section>
  );
}

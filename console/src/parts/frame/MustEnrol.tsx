import { Anchor, Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { root } from "../../api/client";
import { useRead, useRefresh } from "../../api/queries";
import type { Schemas } from "../../api/request";
import { Entrance } from "../Entrance";
import { nameOf } from "../people";
import { Enrolment } from "../second-factor/Enrolment";
import { NewPasskey } from "../second-factor/NewPasskey";
import { RecoveryCodes } from "../second-factor/RecoveryCodes";
import { hasPasskeys } from "../second-factor/passkey";
import { waysIn } from "../second-factor/requests";
import { useTitle } from "../title";

/** In place of every page while the policy requires a second factor that is not there: to enrol it, or to sign out. */
export default function MustEnrol({ user, onDone }: { user: Schemas["User"]; onDone: () => void }) {
  useTitle("A second factor is required");
  const refresh = useRefresh();
  const offered = useRead(waysIn);
  const [codes, setCodes] = useState<string[]>();
  const [isPasskey, setPasskey] = useState(false);

  async function close() {
    await refresh();
    onDone();
  }

  return (
    <Entrance>
      <Stack gap="md" mt="sm">
        <Text role="status">
          You are signed in as <bdi>{nameOf(user)}</bdi>. A second factor is required of you: set it up to go on.
        </Text>
        {codes ? (
          <RecoveryCodes codes={codes} onClose={() => void close()} />
        ) : (
          <>
            {isPasskey ? <NewPasskey onRegistered={setCodes} /> : <Enrolment onEnrolled={setCodes} />}
            {offered.data?.passkeys && hasPasskeys() && (
              <Anchor component="button" type="button" size="sm" ta="left" onClick={() => setPasskey(!isPasskey)}>
                {isPasskey ? "Set up an authenticator app instead" : "Register a passkey instead"}
              </Anchor>
            )}
            <form method="post" action={`${root}/logout`}>
              <Button type="submit" variant="default">
                Sign out
              </Button>
            </form>
          </>
        )}
      </Stack>
    </Entrance>
  );
}

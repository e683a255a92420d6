import { Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { root } from "../../api/client";
import { useRefresh } from "../../api/queries";
import type { Schemas } from "../../api/request";
import { Entrance } from "../Entrance";
import { nameOf } from "../people";
import { Enrolment } from "../second-factor/Enrolment";
import { RecoveryCodes } from "../second-factor/RecoveryCodes";
import { useTitle } from "../title";

/** In place of every page while the policy requires a second factor that is not there: to enrol it, or to sign out. */
export function MustEnrol({ user, onDone }: { user: Schemas["User"]; onDone: () => void }) {
  useTitle("A second factor is required");
  const refresh = useRefresh();
  const [codes, setCodes] = useState<string[]>();

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
            <Enrolment onEnrolled={setCodes} />
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

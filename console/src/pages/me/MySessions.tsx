import { Group, Text } from "@mantine/core";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { Listing } from "../../parts/area/Listing";
import { EndSession, signedOut } from "../../parts/sessions/EndSession";
import { nameOfSession, sessionColumns } from "../../parts/sessions/columns";

const others = request("delete", "/api/admin/user/sessions");

/** The browsers in which one is signed in. */
export function MySessions() {
  const read = useRead(request("get", "/api/admin/user/sessions"));
  const sessions = read.data?.sessions ?? [];
  const columns = sessionColumns({
    named: nameOfSession,
    request: ({ id }) =>
      request("delete", "/api/admin/user/sessions/{sessionId}", { params: { path: { sessionId: id } } }),
    consequence: () => "That browser is signed out with its next request. Personal tokens stay.",
  });
  return (
    <>
      <Group justify="space-between" gap="sm">
        <Text size="sm">Where you are signed in. If you do not know one of them, end it and change your password.</Text>
        <EndSession
          title="Sign out all other browsers"
          request={others}
          because={sessions.every(({ current }) => current) ? "You are signed in nowhere else." : undefined}
          consequence="Every browser but this one is signed out with its next request. Personal tokens stay."
          done={signedOut}
        >
          End all others …
        </EndSession>
      </Group>
      <Listing
        label="Sessions"
        read={read}
        items={sessions}
        keyOf={({ id }) => id}
        columns={columns}
        empty="You are signed in nowhere: a token brought you here."
      />
    </>
  );
}

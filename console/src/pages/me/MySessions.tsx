import { Group, Text } from "@mantine/core";
import { useRead } from "../../api/queries";
import { request } from "../../api/request";
import { Listing, type Column } from "../../parts/area/Listing";
import { EndSession, signedOut } from "../../parts/sessions/EndSession";
import { nameOfSession, sessionColumns, type Session } from "../../parts/sessions/columns";

const others = request("delete", "/api/admin/user/sessions");

/** The browsers in which one is signed in. */
export function MySessions() {
  const read = useRead(request("get", "/api/admin/user/sessions"));
  const sessions = read.data?.sessions ?? [];
  const columns: Column<Session>[] = [
    ...sessionColumns,
    {
      head: <span className="visually-hidden">End</span>,
      cell: (session) =>
        !session.current && (
          <EndSession
            compact
            title={`Sign out ${nameOfSession(session)}`}
            request={request("delete", "/api/admin/user/sessions/{sessionId}", {
              params: { path: { sessionId: session.id } },
            })}
            consequence="That browser is signed out with its next request. Personal tokens stay."
            done="The browser is signed out."
          >
            End …<span className="visually-hidden"> {nameOfSession(session)}</span>
          </EndSession>
        ),
    },
  ];
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

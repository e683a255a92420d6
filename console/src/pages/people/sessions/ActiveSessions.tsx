import { Button, Group, Text } from "@mantine/core";
import { useRead } from "../../../api/queries";
import { request } from "../../../api/request";
import { useAddress } from "../../../parts/address";
import { Area } from "../../../parts/area/Area";
import { Listing, type Column } from "../../../parts/area/Listing";
import { nameOf, peopleTabs } from "../../../parts/people";
import { EndSession, signedOut } from "../../../parts/sessions/EndSession";
import { nameOfSession, sessionColumns, type Session } from "../../../parts/sessions/columns";

const size = 100;
const everybody = request("delete", "/api/admin/user-sessions");

/** Who is signed in, and where. */
export function ActiveSessions() {
  const { get, change } = useAddress();
  const offset = Math.max(0, Number(get("offset")) || 0);
  const read = useRead(
    request("get", "/api/admin/user-sessions", {
      params: { query: { offset: String(offset), limit: String(size) } },
    }),
  );
  const { sessions = [], users = [], total = 0 } = read.data ?? {};
  const names = new Map(users.map((user) => [user.id, nameOf(user)]));
  const name = ({ userId }: Session) => names.get(userId) ?? `user ${userId}`;
  const columns: Column<Session>[] = [
    { head: "User", cell: (session) => <bdi className="breaks">{name(session)}</bdi> },
    ...sessionColumns({
      named: (session) => `${name(session)}: ${nameOfSession(session)}`,
      request: ({ id }) =>
        request("delete", "/api/admin/user-sessions/{sessionId}", { params: { path: { sessionId: id } } }),
      consequence: (session) => `${name(session)} is signed out there with the next request. Personal tokens stay.`,
    }),
  ];
  const go = (to: number) => change({ offset: to > 0 ? String(to) : undefined });
  return (
    <Area
      title="Active sessions"
      tabs={peopleTabs}
      fills
      action={
        <EndSession
          title="Sign everybody out"
          request={everybody}
          because={sessions.every(({ current }) => current) && total <= 1 ? "Nobody else is signed in." : undefined}
          consequence="Everybody is signed out with their next request, but for this browser. Personal tokens stay."
          done={signedOut}
        >
          End all others …
        </EndSession>
      }
    >
      <Text size="sm" className="muted">
        {read.data ? `${total} signed in, newest first. ` : ""}The time of the last use can be up to six minutes late.
      </Text>
      <Listing
        label="Active sessions"
        read={read}
        items={sessions}
        keyOf={({ id }) => id}
        columns={columns}
        empty="Nobody is signed in."
      />
      {total > size && (
        <Group gap="sm" justify="flex-end">
          <Button variant="default" size="compact-sm" disabled={offset === 0} onClick={() => go(offset - size)}>
            Newer
          </Button>
          <Button
            variant="default"
            size="compact-sm"
            disabled={offset + size >= total}
            onClick={() => go(offset + size)}
          >
            Older
          </Button>
        </Group>
      )}
    </Area>
  );
}

import { Group, Text, Title } from "@mantine/core";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { Moment } from "../../../parts/Moment";
import { Problem } from "../../../parts/Problem";
import { nameOf } from "../../../parts/people";
import { EndSession, signedOut } from "../../../parts/sessions/EndSession";
import { nameOfSession } from "../../../parts/sessions/columns";
import classes from "../../../parts/area/Area.module.css";

/** The browsers in which somebody is signed in. */
export function UserSessions({ user }: { user: Schemas["User"] }) {
  const params = { path: { id: user.id } };
  const read = useRead(request("get", "/api/admin/user-admin/{id}/sessions", { params }));
  const sessions = read.data?.sessions ?? [];
  return (
    <section className={classes.section} aria-label="Sessions">
      <Title order={3}>Sessions</Title>
      <Problem error={read.error} again={() => void read.refetch()} />
      {read.data && sessions.length === 0 && (
        <Text size="sm" mt="sm">
          They are not signed in.
        </Text>
      )}
      {sessions.map((session) => (
        <Group key={session.id} justify="space-between" gap="sm" mt="sm">
          <Text size="sm" className="breaks">
            <bdi>{nameOfSession(session)}</bdi>, used <Moment at={session.seenAt} />
            {session.current && <span className="chip">this one</span>}
          </Text>
          {!session.current && (
            <EndSession
              compact
              title={`Sign out ${nameOfSession(session)}`}
              request={request("delete", "/api/admin/user-sessions/{sessionId}", {
                params: { path: { sessionId: session.id } },
              })}
              consequence={`${nameOf(user)} is signed out there with the next request. Personal tokens stay.`}
              done="The browser is signed out."
            >
              End …<span className="visually-hidden"> {nameOfSession(session)}</span>
            </EndSession>
          )}
        </Group>
      ))}
      {sessions.some(({ current }) => !current) && (
        <Group mt="sm">
          <EndSession
            title={`Sign out ${nameOf(user)}`}
            request={request("delete", "/api/admin/user-admin/{id}/sessions", { params })}
            consequence={`${nameOf(user)} is signed out in every browser with the next request. Personal tokens stay.`}
            done={signedOut}
          >
            End all …
          </EndSession>
        </Group>
      )}
    </section>
  );
}

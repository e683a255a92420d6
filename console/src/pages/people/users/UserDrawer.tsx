import { Stack, Switch, Text, Title } from "@mantine/core";
import { useMe } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { EditDrawer } from "../../../parts/forms/EditDrawer";
import { RemoveButton } from "../../../parts/forms/RemoveButton";
import { nameOf } from "../../../parts/people";
import { DirectorySection } from "../directory/DirectorySection";
import { ManagedBy } from "../directory/ManagedBy";
import { Identities } from "./Identities";
import { UserFields } from "./NewUser";
import { Passwords } from "./Passwords";
import { SecondFactor } from "./SecondFactor";
import { UserSessions } from "./UserSessions";
import { UserTokens } from "./UserTokens";
import classes from "../../../parts/area/Area.module.css";

interface Props {
  id: string;
  roles: readonly Schemas["Role"][];
  onClose: () => void;
}

const valuesOf = ({ name = "", username = "", email = "", rootRole, active = true }: Schemas["User"]) => ({
  name,
  username,
  email,
  rootRole: String(rootRole ?? ""),
  active,
});

/** One user: names and role, how they come in, and the way out. */
export function UserDrawer({ id, roles, onClose }: Props) {
  const myself = useMe()?.user.id;
  const params = { path: { id: Number(id) } };
  return (
    <EditDrawer
      title="User"
      size="lg"
      read={request("get", "/api/admin/user-admin/{id}", { params })}
      valuesOf={valuesOf}
      plan={({ name, username, email, rootRole, active }) =>
        request("put", "/api/admin/user-admin/{id}", {
          params,
          body: {
            name: name.trim() || undefined,
            username: username.trim() || undefined,
            email: email.trim() || undefined,
            rootRole: Number(rootRole),
            active,
          },
        })
      }
      events={{ type: "IS:user-updated", query: `"id":${id},` }}
      done="The user is saved."
      onClose={onClose}
      below={(user) => (
        <Stack gap="md" mt="md">
          <Passwords user={user} />
          <SecondFactor user={user} />
          <Identities user={user} />
          <DirectorySection
            what="user"
            name={nameOf(user)}
            managed={user}
            link={(directoryId) =>
              request("post", "/api/admin/user-admin/{id}/scim-link", { params: { ...params, query: { directoryId } } })
            }
            unlink={request("delete", "/api/admin/user-admin/{id}/scim-link", { params })}
          />
          <UserSessions user={user} />
          <UserTokens user={user} />
          <section className={classes.section} aria-label="Delete">
            <Title order={3}>Delete</Title>
            <Text size="sm" my="sm">
              What they did stays in the event log.
            </Text>
            <RemoveButton
              what="user"
              name={nameOf(user)}
              because={user.id === myself ? "This is you: another administrator can." : undefined}
              request={request("delete", "/api/admin/user-admin/{id}", { params })}
              seen={request("get", "/api/admin/user-admin/{id}", { params })}
              consequence={
                <>
                  <bdi>{nameOf(user)}</bdi> is signed out everywhere; personal tokens, memberships and favourites go.
                  The name and the email are free for others.
                </>
              }
              onRemoved={onClose}
            />
          </section>
        </Stack>
      )}
    >
      {(draft, change, user) => (
        <>
          {user.scimId ? (
            <ManagedBy managed={user}>While SCIM is on, only the role is changed here.</ManagedBy>
          ) : (
            <Text size="sm" className="muted">
              A name, an email or a user name can be changed, and not taken away.
            </Text>
          )}
          <UserFields draft={draft} change={change} roles={roles} />
          <Switch
            label="Can sign in"
            description="Without it they are signed out everywhere, and no password, token, link or login provider lets them in."
            checked={draft.active}
            onChange={(event) => change({ active: event.currentTarget.checked })}
          />
        </>
      )}
    </EditDrawer>
  );
}

import { TextInput } from "@mantine/core";
import { request, type Schemas } from "../../../api/request";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { nameOf } from "../../../parts/people";
import { AtField } from "../../../parts/forms/AtField";
import { leastRole, RoleField } from "../RoleField";

export type Draft = { name: string; username: string; email: string; rootRole: string };

export const planUser = ({ name, username, email, rootRole }: Draft) =>
  request("post", "/api/admin/user-admin", {
    body: {
      name: name.trim() || undefined,
      username: username.trim() || undefined,
      email: email.trim() || undefined,
      rootRole: Number(rootRole),
      sendEmail: false,
    },
  });

interface Props {
  roles: readonly Schemas["Role"][];
  onMade: (user: Schemas["InvitedUser"]) => void;
  onClose: () => void;
}

/** Makes a user, who then sets a password by a link: nobody else ever knows it. */
export function NewUser({ roles, onMade, onClose }: Props) {
  return (
    <NewDrawer
      title="New user"
      initial={{ name: "", username: "", email: "", rootRole: leastRole(roles) }}
      plan={planUser}
      action={() => "Create the user"}
      done={(draft) => `${nameOf({ id: 0, ...draft })} is a user.`}
      objection={({ username, email }) =>
        username.trim() || email.trim() ? undefined : "A user name or an email is missing."
      }
      onMade={onMade}
      onClose={onClose}
    >
      {(draft, change) => <UserFields draft={draft} change={change} roles={roles} />}
    </NewDrawer>
  );
}

interface FieldProps {
  draft: Draft;
  change: (changed: Partial<Draft>) => void;
  roles: readonly Schemas["Role"][];
}

/** What is known of a user: names, and the role in the whole instance. */
export function UserFields({ draft, change, roles }: FieldProps) {
  return (
    <>
      <AtField of="name">
        <TextInput
          data-autofocus
          label="Name"
          description="As people read it."
          maxLength={255}
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
      </AtField>
      <AtField of="email">
        <TextInput
          label="Email"
          description="Serves to sign in, and finds who comes through a login provider."
          type="email"
          maxLength={255}
          autoComplete="off"
          value={draft.email}
          onChange={(event) => change({ email: event.currentTarget.value })}
        />
      </AtField>
      <AtField of="username">
        <TextInput
          label="User name"
          description="Serves to sign in. Not needed where there is an email."
          maxLength={255}
          autoComplete="off"
          spellCheck={false}
          value={draft.username}
          onChange={(event) => change({ username: event.currentTarget.value })}
        />
      </AtField>
      <RoleField roles={roles} value={draft.rootRole} onChange={(rootRole) => change({ rootRole })} />
    </>
  );
}

import { TextInput } from "@mantine/core";
import { request, type Schemas } from "../../../api/request";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { AtField } from "../../../parts/forms/AtField";
import { leastRole, RoleField } from "../RoleField";

export type Draft = { name: string; username: string; rootRole: string };

export const planAccount = ({ name, username, rootRole }: Draft) =>
  request("post", "/api/admin/service-account", {
    body: { name: name.trim(), username: username.trim(), rootRole: Number(rootRole) },
  });

interface Props {
  roles: readonly Schemas["Role"][];
  onMade: (account: Schemas["ServiceAccount"]) => void;
  onClose: () => void;
}

/** Gives a program an account. Its tokens are made afterwards, in its drawer. */
export function NewServiceAccount({ roles, onMade, onClose }: Props) {
  return (
    <NewDrawer
      title="New service account"
      initial={{ name: "", username: "", rootRole: leastRole(roles) }}
      plan={planAccount}
      action={() => "Create the service account"}
      done={({ name }) => `${name.trim()} has an account. It needs a token now.`}
      objection={({ name, username }) =>
        name.trim() && username.trim() ? undefined : "A name or a user name is missing."
      }
      onMade={onMade}
      onClose={onClose}
    >
      {(draft, change) => (
        <>
          <AtField of="name">
            <TextInput
              data-autofocus
              label="Name"
              description="As people read it."
              required
              maxLength={255}
              value={draft.name}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
          </AtField>
          <AtField of="username">
            <TextInput
              label="User name"
              description="Its name in the event log, unique. It cannot be changed later."
              required
              maxLength={255}
              autoComplete="off"
              spellCheck={false}
              value={draft.username}
              onChange={(event) => change({ username: event.currentTarget.value })}
            />
          </AtField>
          <RoleField roles={roles} value={draft.rootRole} onChange={(rootRole) => change({ rootRole })} />
        </>
      )}
    </NewDrawer>
  );
}

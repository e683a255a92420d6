import { Group, Select } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAddress } from "../../../parts/address";
import { Area } from "../../../parts/area/Area";
import { Listing, type Column } from "../../../parts/area/Listing";
import { OpenRow } from "../../../parts/area/OpenRow";
import { SearchField, holds } from "../../../parts/area/SearchField";
import { useKeys } from "../../../parts/keys";
import { Moment } from "../../../parts/Moment";
import { nameOf, peopleTabs, standingOf } from "../../../parts/people";
import { SecretOnce } from "../../../parts/SecretOnce";
import { InviteMany } from "./many/InviteMany";
import { NewUser, planUser } from "./NewUser";
import { UserDrawer } from "./UserDrawer";

type User = Schemas["User"];

const anyUser = planUser({ name: "", username: "…", email: "", rootRole: "" });

/** Everybody who may come in. */
export function Users() {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/user-admin"));
  const counted = useRead(request("get", "/api/admin/user-admin/admin-count"));
  const [invited, setInvited] = useState<Schemas["InvitedUser"]>();
  const open = (value: string | undefined) => change({ new: value });
  useKeys({ n: { does: "New user", run: () => open("true") } });

  const roles = new Map((read.data?.rootRoles ?? []).map(({ id, name }) => [id, name]));
  const role = get("role");
  const users = (read.data?.users ?? [])
    .filter(
      (user) => (!role || String(user.rootRole) === role) && holds(get("query"), user.name, user.username, user.email),
    )
    .sort((one, other) => nameOf(one).localeCompare(nameOf(other)));
  const show = ({ id }: User) => change({ user: String(id) });

  const columns: Column<User>[] = [
    {
      head: "Name",
      cell: (user) => <OpenRow name={nameOf(user)} note={standingOf(user)} onClick={() => show(user)} />,
    },
    { head: "User name", wide: true, cell: ({ username }) => <bdi className="breaks">{username ?? "–"}</bdi> },
    { head: "Email", wide: true, cell: ({ email }) => <bdi className="breaks">{email ?? "–"}</bdi> },
    { head: "Role", cell: ({ rootRole }) => roles.get(rootRole ?? 0) ?? "–" },
    { head: "Last seen", cell: ({ seenAt }) => <Moment at={seenAt} /> },
    { head: "Created", wide: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      head: <span className="visually-hidden">Access</span>,
      wide: true,
      cell: (user) => (
        <Link to="/people/access" search={{ user: String(user.id) } as never}>
          What may <bdi>{nameOf(user)}</bdi> do?
        </Link>
      ),
    },
  ];

  return (
    <Area
      title="Users"
      tabs={peopleTabs}
      fills
      action={
        <Group gap="sm">
          <ActionButton variant="default" request={anyUser} onClick={() => change({ many: "true" })}>
            Invite many
          </ActionButton>
          <ActionButton request={anyUser} onClick={() => open("true")}>
            New user
          </ActionButton>
        </Group>
      }
    >
      <Group gap="sm" role="search" aria-label="Users">
        <SearchField label="Name or email" />
        <Select
          aria-label="Role"
          placeholder="Every role"
          size="xs"
          w={160}
          clearable
          clearButtonProps={{ "aria-label": "Every role" }}
          data={[...roles].map(([id, name]) => ({ value: String(id), label: name }))}
          value={role ?? null}
          onChange={(value) => change({ role: value ?? undefined })}
        />
        {counted.data && (
          <span className="muted">
            {users.length} shown · administrators: {counted.data.password} with a password, {counted.data.noPassword}{" "}
            without
          </span>
        )}
      </Group>
      <Listing
        label="Users"
        read={read}
        items={users}
        keyOf={({ id }) => String(id)}
        columns={columns}
        open={show}
        empty="Nobody fits what is searched for."
      />
      {get("new") !== undefined && (
        <NewUser
          roles={read.data?.rootRoles ?? []}
          onClose={() => open(undefined)}
          onMade={(user) => {
            setInvited(user);
            open(undefined);
          }}
        />
      )}
      {get("many") !== undefined && read.data && (
        <InviteMany roles={read.data.rootRoles ?? []} onClose={() => change({ many: undefined })} />
      )}
      {get("user") && (
        <UserDrawer
          key={get("user")}
          id={get("user")!}
          roles={read.data?.rootRoles ?? []}
          onClose={() => change({ user: undefined })}
        />
      )}
      {invited && (
        <SecretOnce
          title={`${nameOf(invited)} can come in`}
          secret={invited.inviteLink}
          onClose={() => setInvited(undefined)}
        >
          Give this link to <bdi>{nameOf(invited)}</bdi>, and to nobody else: whoever has it sets the password, within 7
          days. This server sends no email.
        </SecretOnce>
      )}
    </Area>
  );
}

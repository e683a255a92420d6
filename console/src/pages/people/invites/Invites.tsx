import { Group, Text, TextInput } from "@mantine/core";
import dayjs from "dayjs";
import { useState } from "react";
import { serverTime } from "../../../api/clock";
import { useRead, useWhyNot } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { useAddress } from "../../../parts/address";
import { Area } from "../../../parts/area/Area";
import { Listing, type Column } from "../../../parts/area/Listing";
import { Expiry } from "../../../parts/forms/Expiry";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { useKeys } from "../../../parts/keys";
import { Moment } from "../../../parts/Moment";
import { nameOf, peopleTabs } from "../../../parts/people";
import { SecretOnce } from "../../../parts/SecretOnce";
import { AtField } from "../../../parts/forms/AtField";
import { RefusableSwitch } from "../../../parts/switches/RefusableSwitch";

type Link = Schemas["SignupLink"];

const create = ({ name, expiresAt }: { name: string; expiresAt: string }) =>
  request("post", "/api/admin/invite-link/tokens", { body: { name: name.trim(), expiresAt } });

/** Links with which people become users by themselves. */
export function Invites() {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/invite-link/tokens"));
  const [made, setMade] = useState<Link>();
  const [start] = useState(() => dayjs(serverTime()).add(7, "day").toISOString());
  const open = (value: string | undefined) => change({ new: value });
  useKeys({ n: { does: "New invite", run: () => open("true") } });
  const columns: Column<Link>[] = [
    { head: "Name", cell: (link) => <Name link={link} /> },
    { head: "Enabled", cell: (link) => <LinkSwitch link={link} /> },
    { head: "Expires", cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
    {
      head: "Who came",
      wide: true,
      cell: ({ users }) => <bdi className="breaks">{users.map(nameOf).join(", ") || "nobody yet"}</bdi>,
    },
    {
      head: "Created",
      wide: true,
      cell: ({ createdAt, createdBy }) => (
        <>
          <Moment at={createdAt} /> {createdBy && <bdi className="muted breaks">by {createdBy}</bdi>}
        </>
      ),
    },
  ];

  return (
    <Area
      title="Invites"
      tabs={peopleTabs}
      fills
      action={
        <ActionButton request={create({ name: "…", expiresAt: start })} onClick={() => open("true")}>
          New invite
        </ActionButton>
      }
    >
      <Text size="sm" className="muted">
        Whoever has such a link becomes a user with the role Viewer.
      </Text>
      <Listing
        label="Invites"
        read={read}
        items={read.data?.tokens ?? []}
        keyOf={({ secret }) => secret}
        columns={columns}
        empty="There is no invite. With one, people become users by themselves."
      />
      {get("new") !== undefined && (
        <NewDrawer
          title="New invite"
          initial={{ name: "", expiresAt: start }}
          plan={create}
          action={() => "Create the invite"}
          done={({ name }) => `The invite ${name.trim()} was created.`}
          objection={({ name }) => (name.trim() ? undefined : "A name is missing.")}
          onMade={(link) => {
            setMade(link);
            open(undefined);
          }}
          onClose={() => open(undefined)}
        >
          {({ name, expiresAt }, edit) => (
            <>
              <AtField of="name">
                <TextInput
                  data-autofocus
                  label="Name"
                  description="Whom it is for. Only administrators see it."
                  required
                  maxLength={255}
                  value={name}
                  onChange={(event) => edit({ name: event.currentTarget.value })}
                />
              </AtField>
              <Expiry
                label="Expires"
                description="After 30 days at most."
                days={[1, 7, 30]}
                value={expiresAt}
                onChange={(value) => value && edit({ expiresAt: value })}
              />
            </>
          )}
        </NewDrawer>
      )}
      {made && (
        <SecretOnce
          title={`The invite ${made.name} was created`}
          secret={made.url ?? made.secret}
          onClose={() => setMade(undefined)}
        >
          Send this link to those who may come in. It can be switched off here.
        </SecretOnce>
      )}
    </Area>
  );
}

function Name({ link: { name, expiresAt } }: { link: Link }) {
  const [now] = useState(() => serverTime());
  return (
    <Group gap={0}>
      <bdi className="breaks">{name}</bdi>
      {Date.parse(expiresAt) <= now && <span className="chip">ended</span>}
    </Group>
  );
}

function LinkSwitch({ link: { secret, name, enabled } }: { link: Link }) {
  const { act, busy } = useAct();
  const plan = (on: boolean) =>
    request("put", "/api/admin/invite-link/tokens/{token}", {
      params: { path: { token: secret } },
      body: { enabled: on },
    });
  const refusal = useWhyNot()(plan(!enabled));
  return (
    <RefusableSwitch
      aria-label={`${name} lets people in`}
      refusal={refusal}
      busy={busy}
      checked={enabled}
      onChange={() =>
        void act({
          request: plan(!enabled),
          done: `${name} ${enabled ? "lets nobody in any more" : "lets people in"}.`,
          undo: plan(enabled),
        })
      }
    />
  );
}

import { Group, Text } from "@mantine/core";
import { useState } from "react";
import { serverTime } from "../../api/clock";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAddress } from "../../parts/address";
import { Listing, type Column } from "../../parts/area/Listing";
import { RemoveButton } from "../../parts/forms/RemoveButton";
import { useKeys } from "../../parts/keys";
import { Moment } from "../../parts/Moment";
import { NewPersonalToken, useTokenDraft, type TokenDraft } from "../../parts/tokens/NewPersonalToken";

type Token = Schemas["PersonalToken"];

const create = (body: TokenDraft) => request("post", "/api/admin/user/tokens", { body });

/** Tokens by which scripts come in as oneself. */
export function MyTokens() {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/user/tokens"));
  const longestDays = read.data?.longestDays;
  const draft = useTokenDraft(longestDays);
  const [now] = useState(() => serverTime());
  const open = (value: string | undefined) => change({ new: value });
  useKeys({ n: { does: "New personal token", run: () => open("true") } });
  const columns: Column<Token>[] = [
    {
      head: "For",
      cell: ({ description, expiresAt }) => (
        <>
          <bdi className="breaks">{description}</bdi>
          {Date.parse(expiresAt) <= now && <span className="chip">ended</span>}
        </>
      ),
    },
    { head: "Last used", cell: ({ seenAt }) => <Moment at={seenAt} /> },
    { head: "Expires", cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
    { head: "Created", wide: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      head: <span className="visually-hidden">Delete</span>,
      cell: ({ id, description }) => (
        <RemoveButton
          compact
          what="personal token"
          name={description}
          request={request("delete", "/api/admin/user/tokens/{id}", { params: { path: { id } } })}
          consequence="What comes with it is turned away from the next request on."
        />
      ),
    },
  ];
  return (
    <>
      <Group justify="space-between" gap="sm">
        <Text size="sm">A script with such a token may do what you may, until it ends or your password changes.</Text>
        <ActionButton
          request={create({ ...draft, description: "…" })}
          because={
            read.data && longestDays === undefined ? "Administrators let nobody create personal tokens." : undefined
          }
          onClick={() => open("true")}
        >
          New personal token
        </ActionButton>
      </Group>
      <Listing
        label="Personal tokens"
        read={read}
        items={read.data?.pats ?? []}
        keyOf={({ id }) => String(id)}
        columns={columns}
        empty="You have no personal token. A script needs one to do what you do by clicks."
      />
      <NewPersonalToken
        isOpen={get("new") !== undefined && longestDays !== undefined}
        title="New personal token"
        initial={draft}
        longestDays={longestDays}
        plan={create}
        onClose={() => open(undefined)}
        secretTitle="Your personal token"
      >
        Whoever has it may do what you may. In the commands that the console shows it stands for <code>$TOKEN</code>.
      </NewPersonalToken>
    </>
  );
}

import { Group, Text, Title } from "@mantine/core";
import { useState } from "react";
import { serverTime } from "../../../api/clock";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { RemoveButton } from "../../../parts/forms/RemoveButton";
import { Moment } from "../../../parts/Moment";
import { nameOf } from "../../../parts/people";
import { NewPersonalToken, useTokenDraft, type TokenDraft } from "../../../parts/tokens/NewPersonalToken";
import classes from "../../../parts/area/Area.module.css";

/** What a program comes in with as its service account. */
export function AccountTokens({ account }: { account: Schemas["ServiceAccount"] }) {
  const path = { id: account.id };
  const [isOpen, setOpen] = useState(false);
  const read = useRead(request("get", "/api/admin/service-account/{id}/token", { params: { path } }));
  const longestDays = read.data?.longestDays;
  const draft = useTokenDraft(longestDays);
  const [now] = useState(() => serverTime());
  const create = (body: TokenDraft) =>
    request("post", "/api/admin/service-account/{id}/token", { params: { path }, body });
  return (
    <section className={classes.section} aria-label="API tokens">
      <Group justify="space-between" gap="sm">
        <Title order={3}>API tokens</Title>
        <ActionButton
          size="compact-sm"
          variant="default"
          request={create({ ...draft, description: "…" })}
          onClick={() => setOpen(true)}
        >
          New token
        </ActionButton>
      </Group>
      {account.tokens.length === 0 && (
        <Text size="sm" mt="sm">
          None: nothing can come in as it.
        </Text>
      )}
      {account.tokens.map(({ id, description, expiresAt, seenAt }) => (
        <Group key={id} justify="space-between" gap="sm" mt="sm">
          <Text size="sm" className="breaks">
            <bdi>{description}</bdi>, used <Moment at={seenAt} />, ends <Moment at={expiresAt} />
            {Date.parse(expiresAt) <= now && <span className="chip">ended</span>}
          </Text>
          <RemoveButton
            compact
            what="token"
            name={description}
            request={request("delete", "/api/admin/service-account/{id}/token/{tokenId}", {
              params: { path: { ...path, tokenId: id } },
            })}
            consequence={`What comes with it as ${nameOf(account)} is turned away from the next request on.`}
          />
        </Group>
      ))}
      <NewPersonalToken
        isOpen={isOpen && !read.isPending}
        title="New token of the service account"
        initial={draft}
        longestDays={longestDays}
        plan={create}
        onClose={() => setOpen(false)}
        secretTitle={`A token of ${nameOf(account)}`}
      >
        Whoever has it may do what <bdi>{nameOf(account)}</bdi> may, until it ends or is deleted.
      </NewPersonalToken>
    </section>
  );
}

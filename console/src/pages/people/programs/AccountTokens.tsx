import { Group, Text, TextInput, Title } from "@mantine/core";
import dayjs from "dayjs";
import { useState } from "react";
import { serverTime } from "../../../api/clock";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { Expiry } from "../../../parts/forms/Expiry";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { RemoveButton } from "../../../parts/forms/RemoveButton";
import { Moment } from "../../../parts/Moment";
import { nameOf } from "../../../parts/people";
import { SecretOnce } from "../../../parts/SecretOnce";
import classes from "../../../parts/area/Area.module.css";

/** What a program comes in with as its service account. */
export function AccountTokens({ account }: { account: Schemas["ServiceAccount"] }) {
  const path = { id: account.id };
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<Schemas["PersonalTokenWithSecret"]>();
  const [start] = useState(() => dayjs(serverTime()).add(30, "day").toISOString());
  const [now] = useState(() => serverTime());
  const create = ({ description, expiresAt }: { description: string; expiresAt: string }) =>
    request("post", "/api/admin/service-account/{id}/token", {
      params: { path },
      body: { description: description.trim(), expiresAt },
    });
  return (
    <section className={classes.section} aria-label="Tokens">
      <Group justify="space-between" gap="sm">
        <Title order={3}>Tokens</Title>
        <ActionButton
          size="compact-sm"
          variant="default"
          request={create({ description: "…", expiresAt: start })}
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
      {isOpen && (
        <NewDrawer
          title="New token of the service account"
          initial={{ description: "", expiresAt: start }}
          plan={create}
          action={() => "Make the token"}
          done={({ description }) => `The token for ${description.trim()} was made.`}
          objection={({ description }) => (description.trim() ? undefined : "Say what it is for.")}
          onMade={(token) => {
            setMade(token);
            setOpen(false);
          }}
          onClose={() => setOpen(false)}
        >
          {({ description, expiresAt }, edit) => (
            <>
              <TextInput
                data-autofocus
                label="What it is for"
                required
                maxLength={255}
                value={description}
                onChange={(event) => edit({ description: event.currentTarget.value })}
              />
              <Expiry
                label="It ends"
                days={[7, 30, 90, 365]}
                value={expiresAt}
                onChange={(value) => value && edit({ expiresAt: value })}
              />
            </>
          )}
        </NewDrawer>
      )}
      {made && (
        <SecretOnce title={`A token of ${nameOf(account)}`} secret={made.secret} onClose={() => setMade(undefined)}>
          Whoever has it may do what <bdi>{nameOf(account)}</bdi> may, until it ends or is deleted.
        </SecretOnce>
      )}
    </section>
  );
}

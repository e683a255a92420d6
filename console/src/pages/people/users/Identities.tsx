import { Group, List, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { confirm } from "../../../parts/confirm";
import { providerOf } from "../../../parts/identities";
import { Moment } from "../../../parts/Moment";
import { Problem } from "../../../parts/Problem";
import { nameOf } from "../../../parts/people";
import { readProviders } from "../../../parts/providers";
import { waysIn } from "../../../parts/second-factor/requests";
import classes from "../../../parts/area/Area.module.css";
import { LinkIdentity, planLinkOf } from "./LinkIdentity";

type Identity = Schemas["UserIdentity"];

/** Who somebody is at login providers. */
export function Identities({ user }: { user: Schemas["User"] }) {
  const params = { path: { id: user.id } };
  const read = useRead(request("get", "/api/admin/user-admin/{id}/identities", { params }));
  const offered = useRead(waysIn);
  const providers = useRead(readProviders, { staleTime: 60_000 }).data?.providers ?? [];
  const [isLinking, setLinking] = useState(false);
  const { act, busy } = useAct();
  const forgetting = request("delete", "/api/admin/user-admin/{id}/identities", { params });
  const identities = read.data?.identities ?? [];
  const providerNamed = (identity: Identity) => providerOf(identity, offered.data?.options ?? []);
  const planRemove = (identityId: string) =>
    request("delete", "/api/admin/user-admin/{id}/identities/{identityId}", {
      params: { path: { id: user.id, identityId } },
    });

  async function remove(identity: Identity) {
    const removing = planRemove(identity.id);
    const isSure = await confirm({
      title: `Remove an identity of ${nameOf(user)}`,
      action: "Remove it",
      danger: true,
      requests: [removing],
      consequence: (
        <>
          Sessions that came through <bdi>{providerNamed(identity)}</bdi> as{" "}
          <bdi>{identity.email ?? identity.subject}</bdi> end, and that account no longer signs them in. Others stay.
        </>
      ),
    });
    if (isSure) await act({ request: removing, done: "The identity is removed." });
  }

  async function forget() {
    const isSure = await confirm({
      title: `Forget who ${nameOf(user)} is at login providers`,
      action: "Forget it",
      danger: true,
      requests: [forgetting],
      consequence:
        "Sessions that came through a provider end. Who signs in there next is found by email once more, or becomes a user anew.",
    });
    if (isSure) await act({ request: forgetting, done: "Forgotten." });
  }

  return (
    <section className={classes.section} aria-label="Login providers">
      <Title order={3}>Login providers</Title>
      <Problem error={read.error} again={() => void read.refetch()} />
      {read.data && identities.length === 0 && (
        <Text size="sm" mt="sm">
          They never came through a login provider.
        </Text>
      )}
      {identities.length > 0 && (
        <List size="sm" my="sm">
          {identities.map((identity) => {
            const { id, provider, subject, email, seenAt } = identity;
            return (
              <List.Item key={id} className="breaks">
                <Group gap="xs">
                  <span>
                    {provider.toUpperCase()} <bdi>{email ?? subject}</bdi> of <bdi>{providerNamed(identity)}</bdi>, last{" "}
                    <Moment at={seenAt} />
                  </span>
                  <ActionButton
                    variant="default"
                    size="compact-xs"
                    request={planRemove(id)}
                    loading={busy}
                    onClick={() => void remove(identity)}
                  >
                    Remove …<span className="visually-hidden"> {email ?? subject}</span>
                  </ActionButton>
                </Group>
              </List.Item>
            );
          })}
        </List>
      )}
      <Group gap="sm" mt="sm">
        <ActionButton
          variant="default"
          size="compact-sm"
          request={planLinkOf(user.id, { providerId: "", subject: "", issuer: "" })}
          because={providers.length > 0 ? undefined : "There is no provider in the settings, Login providers."}
          onClick={() => setLinking(true)}
        >
          Link an identity …
        </ActionButton>
        {identities.length > 0 && (
          <ActionButton
            variant="default"
            size="compact-sm"
            request={forgetting}
            loading={busy}
            onClick={() => void forget()}
          >
            Forget all …
          </ActionButton>
        )}
      </Group>
      {isLinking && <LinkIdentity user={user} providers={providers} onClose={() => setLinking(false)} />}
    </section>
  );
}

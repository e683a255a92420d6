import { Code, Group, List, Stack, Text, Title } from "@mantine/core";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import areaClasses from "../../parts/area/Area.module.css";
import { confirm } from "../../parts/confirm";
import { RemoveButton } from "../../parts/forms/RemoveButton";
import { Moment } from "../../parts/Moment";
import { tellFailure } from "../../parts/notices";
import { Problem } from "../../parts/Problem";
import { CopyValue } from "../../parts/SecretOnce";
import { Unread } from "../../parts/Unread";
import { planParts, planPolicy, type SignInPolicy } from "./policy";

type ClientKey = Schemas["OidcClientKey"];

const creation = request("post", "/api/admin/auth/oidc/client-keys");
const mostKeys = 2;

/** The beginning of the thumbprint, which tells two keys apart. */
const nameOfKey = ({ kid }: ClientKey) => kid.slice(0, 10);

/** The keys by which this server authenticates at an OpenID Connect provider, and the way from one to the next. */
export function ClientKeys({ policy }: { policy: SignInPolicy }) {
  const read = useRead(request("get", "/api/admin/auth/oidc/client-keys"));
  const { act, busy, error } = useAct({ inline: true });
  if (!read.data) return <Unread read={read} rows={3} />;
  const { jwksUri, keys } = read.data;
  return (
    <section className={`card ${areaClasses.narrow}`} aria-label="Keys of this server">
      <Stack gap="sm" align="start">
        <Title order={2}>Keys of this server</Title>
        <Text size="sm">
          For the client authentication by a signed JWT. The provider reads the public keys at this address; the private
          ones never leave the server.
        </Text>
        <Group gap="sm">
          <Code className="breaks">{jwksUri}</Code>
          <CopyValue value={jwksUri} what="the address of the keys" />
        </Group>
        <details>
          <summary>How to change the key</summary>
          <List type="ordered" size="sm" mt="sm">
            <List.Item>Create another key. Both are published at once, and the current one goes on signing.</List.Item>
            <List.Item>
              Wait until the provider has read the keys anew: at once where it can be told to, otherwise as long as it
              keeps them, often a day.
            </List.Item>
            <List.Item>Sign with the new key, and try the settings out.</List.Item>
            <List.Item>If that fails, sign with the old one again. If it works, delete the old one.</List.Item>
          </List>
        </details>
        {keys.length === 0 && <Text size="sm">There is none yet.</Text>}
        {keys.length > 0 && (
          <List listStyleType="none" size="sm" aria-label="Keys" w="100%">
            {keys.map((key) => (
              <List.Item key={key.kid} mb="sm">
                <KeyRow clientKey={key} policy={policy} />
              </List.Item>
            ))}
          </List>
        )}
        <Problem error={error} />
        <ActionButton
          variant="default"
          request={creation}
          loading={busy}
          because={
            keys.length >= mostKeys
              ? "There are two already: delete the one that no provider needs any more."
              : undefined
          }
          onClick={() => void act({ request: creation, done: "The key is created and published." })}
        >
          Create a key
        </ActionButton>
      </Stack>
    </section>
  );
}

function KeyRow({ clientKey, policy }: { clientKey: ClientKey; policy: SignInPolicy }) {
  const { act, busy } = useAct();
  const { kid, createdAt, inUse } = clientKey;
  const name = nameOfKey(clientKey);
  const isSigning = inUse && policy.oidcClientAuthentication === "private_key_jwt";
  const using = (oidcClientKey: string | undefined) => planPolicy({ ...policy, oidcClientKey });

  async function choose(oidcClientKey: string | undefined, done: string) {
    try {
      const { change, undo } = await planParts({ oidcClientKey });
      await act({ request: change, done, undo });
    } catch (failure) {
      tellFailure(failure);
    }
  }

  async function signWith() {
    const isSure = await confirm({
      title: `Sign with the key ${name}`,
      action: "Sign with it",
      requests: [using(kid)],
      consequence:
        policy.oidcClientAuthentication === "private_key_jwt"
          ? "A provider that has not read this key yet refuses this server: nobody signs in through it until it has. Signing with the other key again takes it back."
          : "It becomes the current key, which signs once the client authentication is a signed JWT.",
    });
    if (isSure) await choose(kid, "This is the current key now.");
  }

  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" className="breaks">
        <span className="mono">{kid}</span>, created <Moment at={createdAt} />
        <span className="chip">{isSigning ? "current, signs" : inUse ? "current" : "published"}</span>
      </Text>
      <Group gap="xs">
        {inUse ? (
          <ActionButton
            size="compact-xs"
            variant="default"
            request={using(undefined)}
            because={isSigning ? "It signs: choose another client authentication, or another key, first." : undefined}
            loading={busy}
            onClick={() => void choose(undefined, "No key is the current one now.")}
          >
            Put it aside<span className="visually-hidden"> {name}</span>
          </ActionButton>
        ) : (
          <ActionButton
            size="compact-xs"
            variant="default"
            request={using(kid)}
            loading={busy}
            onClick={() => void signWith()}
          >
            Sign with it …<span className="visually-hidden"> {name}</span>
          </ActionButton>
        )}
        <RemoveButton
          compact
          what="key"
          name={name}
          because={inUse ? "It is the current key: sign with another one, or put it aside, first." : undefined}
          request={request("delete", "/api/admin/auth/oidc/client-keys/{kid}", { params: { path: { kid } } })}
          consequence="It is not published any more, and cannot be made again."
        />
      </Group>
    </Group>
  );
}

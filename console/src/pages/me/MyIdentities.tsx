import { Button, Group, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../api/queries";
import type { Schemas } from "../../api/request";
import areaClasses from "../../parts/area/Area.module.css";
import { linkable, providerOf } from "../../parts/identities";
import { Moment } from "../../parts/Moment";
import { planLink, planUnlink, readIdentities, readOwn, waysIn } from "../../parts/second-factor/requests";
import { Unread } from "../../parts/Unread";
import { Proved } from "./Proved";

type Identity = Schemas["UserIdentity"];
type Shown = { what: "link"; id: string; name: string } | { what: "remove"; identity: Identity };

/** Where a login provider leads back to. */
const here = () => new URL("./me/security", document.baseURI).pathname;

/** One's identities at login providers. */
export function MyIdentities() {
  const offered = useRead(waysIn);
  const factor = useRead(readOwn);
  const read = useRead(readIdentities);
  const [shown, setShown] = useState<Shown>();
  if (!read.data || !offered.data || !factor.data) return <Unread read={[read, offered, factor]} rows={3} />;
  const { identities } = read.data;
  const { options } = offered.data;
  const providers = linkable(options);
  const hasFactor = factor.data.factors.length > 0;
  const close = () => setShown(undefined);

  return (
    <section className={`card ${areaClasses.narrow}`} aria-label="Login providers">
      <Title order={2} mb="sm">
        Login providers
      </Title>
      {identities.length === 0 ? (
        <Text size="sm">You do not sign in through any.</Text>
      ) : (
        <dl className={areaClasses.facts}>
          {identities.map((identity) => (
            <Row
              key={identity.id}
              identity={identity}
              provider={providerOf(identity, options)}
              onRemove={() => setShown({ what: "remove", identity })}
            />
          ))}
        </dl>
      )}
      {providers.length > 0 && (
        <Group gap="sm" mt="md">
          {providers.map(({ id, message }) => (
            <Button key={id} variant="default" onClick={() => setShown({ what: "link", id, name: message })}>
              Link {message} …
            </Button>
          ))}
        </Group>
      )}
      {shown?.what === "link" && (
        <Proved
          title={`Link ${shown.name}`}
          action={`Go to ${shown.name}`}
          hasFactor={hasFactor}
          mayLackPassword
          plan={(password, proof) => planLink(shown.id, here(), password, proof)}
          onDone={({ url }: Schemas["IdentityLink"]) => window.location.assign(url)}
          onClose={close}
        >
          You sign in at <bdi>{shown.name}</bdi> once. From then on that account signs you in here, without password and
          second factor.
        </Proved>
      )}
      {shown?.what === "remove" && (
        <Proved
          title="Remove an identity"
          action="Remove it"
          done="The identity is removed."
          hasFactor={hasFactor}
          mayLackPassword
          plan={(password, proof) => planUnlink(shown.identity.id, password, proof)}
          onDone={close}
          onClose={close}
        >
          <bdi>{shown.identity.email ?? shown.identity.subject}</bdi> of{" "}
          <bdi>{providerOf(shown.identity, options)}</bdi> signs you in no more, and the sessions that came through it
          end, this one too if it did. Your last way in cannot be removed.
        </Proved>
      )}
    </section>
  );
}

function Row({ identity, provider, onRemove }: { identity: Identity; provider: string; onRemove: () => void }) {
  const { email, subject, createdAt, seenAt } = identity;
  return (
    <div className={areaClasses.pair}>
      <dt>
        <bdi className="breaks">{provider}</bdi>
      </dt>
      <dd>
        <Text size="sm">
          <bdi className="breaks">{email ?? subject}</bdi>, linked <Moment at={createdAt} />, last used{" "}
          <Moment at={seenAt} />
        </Text>
        <div className={areaClasses.actions}>
          <Button
            size="compact-sm"
            variant="outline"
            color="red"
            aria-label={`Remove ${email ?? subject} of ${provider}`}
            onClick={onRemove}
          >
            Remove …
          </Button>
        </div>
      </dd>
    </div>
  );
}

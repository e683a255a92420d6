import { Button, Group, Text, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useRead } from "../../api/queries";
import type { Planned, Schemas } from "../../api/request";
import { useAct } from "../../parts/act";
import areaClasses from "../../parts/area/Area.module.css";
import { Form, FormDrawer } from "../../parts/forms/FormDrawer";
import { linkable, providerOf } from "../../parts/identities";
import { Moment } from "../../parts/Moment";
import { CurrentPassword } from "../../parts/CurrentPassword";
import { ProofInput } from "../../parts/second-factor/ProofInput";
import {
  notBeside,
  planLink,
  planUnlink,
  readIdentities,
  readOwn,
  waysIn,
  wrongPassword,
  type Proof,
} from "../../parts/second-factor/requests";
import { Unread } from "../../parts/Unread";

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
  if (!read.data || !offered.data || !factor.data) return <Unread read={read} rows={3} />;
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

interface ProvedProps<A> {
  title: string;
  action: string;
  done?: string;
  hasFactor: boolean;
  plan: (password: string, proof?: Proof) => Planned<A>;
  onDone: (answer: A) => void;
  onClose: () => void;
  children: ReactNode;
}

/** A change of one's identities, with the password and, where there is one, a proof of the second factor. */
function Proved<A>({ title, action, done, hasFactor, plan, onDone, onClose, children }: ProvedProps<A>) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const { act, busy, error } = useAct({ inline: true });
  const typed = hasFactor ? { code } : undefined;

  async function run(proof?: Proof) {
    const answer = await act({ request: plan(password, proof), done });
    if (answer) onDone(answer.data);
  }

  return (
    <FormDrawer title={title} onClose={onClose}>
      <Form
        request={plan(password, typed)}
        action={action}
        busy={busy}
        error={notBeside(error)}
        because={hasFactor && !code.trim() ? "The code is missing." : undefined}
        onSubmit={() => void run(typed)}
        onCancel={onClose}
      >
        <Text size="sm">{children}</Text>
        <CurrentPassword
          description="Leave it empty if you have none."
          value={password}
          error={wrongPassword(error)}
          onChange={setPassword}
        />
        {hasFactor && (
          <ProofInput
            code={code}
            onChange={setCode}
            onAnswer={(passkey) => void run({ passkey })}
            isWaiting={busy || password === ""}
            error={error}
          />
        )}
      </Form>
    </FormDrawer>
  );
}

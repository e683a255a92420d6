import { Button, Text, TextInput, Title } from "@mantine/core";
import { useState } from "react";
import { useRead, useRefresh } from "../../api/queries";
import type { Schemas } from "../../api/request";
import areaClasses from "../../parts/area/Area.module.css";
import { AtField } from "../../parts/forms/AtField";
import { ChangeDrawer } from "../../parts/forms/ChangeDrawer";
import { FormDrawer } from "../../parts/forms/FormDrawer";
import { Moment } from "../../parts/Moment";
import { NewPasskey } from "../../parts/second-factor/NewPasskey";
import { RecoveryCodes } from "../../parts/second-factor/RecoveryCodes";
import { hasPasskeys } from "../../parts/second-factor/passkey";
import { planRemovePasskey, planRename, readOwn, readPasskeys, waysIn } from "../../parts/second-factor/requests";
import { Unread } from "../../parts/Unread";
import { Proved } from "./Proved";

type Passkey = Schemas["Passkey"];
type Shown = { what: "new" } | { what: "rename" | "remove"; passkey: Passkey };

/** One's passkeys, where server and browser have them. */
export function MyPasskeys() {
  const offered = useRead(waysIn);
  const factor = useRead(readOwn);
  const read = useRead(readPasskeys);
  const refresh = useRefresh();
  const [shown, setShown] = useState<Shown>();
  const [codes, setCodes] = useState<string[]>([]);
  if (!read.data || !offered.data || !factor.data) return <Unread read={[read, offered, factor]} rows={3} />;
  const { passkeys } = read.data;
  const close = () => setShown(undefined);

  function show(fresh: string[]) {
    close();
    setCodes(fresh);
    void refresh();
  }

  return (
    <section className={`card ${areaClasses.narrow}`} aria-label="Passkeys">
      <Title order={2} mb="sm">
        Passkeys
      </Title>
      {passkeys.length === 0 ? (
        <Text size="sm">You have none.</Text>
      ) : (
        <dl className={areaClasses.facts}>
          {passkeys.map((passkey) => (
            <Row key={passkey.id} passkey={passkey} onShow={(what) => setShown({ what, passkey })} />
          ))}
        </dl>
      )}
      {offered.data.passkeys && hasPasskeys() ? (
        <Button mt="md" variant="default" onClick={() => setShown({ what: "new" })}>
          Register a passkey …
        </Button>
      ) : (
        <Text size="sm" mt="md" className="muted">
          {offered.data.passkeys
            ? "This browser has no passkeys on this page."
            : "There are no passkeys here: the public URL of the server must be a domain with https, or localhost, and signing in with a password must be on."}
        </Text>
      )}
      {shown?.what === "new" && (
        <FormDrawer title="Register a passkey" onClose={close}>
          <NewPasskey isFurther={factor.data.factors.length > 0} onRegistered={show} />
        </FormDrawer>
      )}
      {shown?.what === "rename" && <Renaming passkey={shown.passkey} onClose={close} />}
      {shown?.what === "remove" && (
        <Removal passkey={shown.passkey} isLast={factor.data.factors.length === 1} onClose={close} />
      )}
      {codes.length > 0 && <RecoveryCodes codes={codes} onClose={() => setCodes([])} />}
    </section>
  );
}

function Row({ passkey, onShow }: { passkey: Passkey; onShow: (what: "rename" | "remove") => void }) {
  const { name, createdAt, lastUsedAt } = passkey;
  return (
    <div className={areaClasses.pair}>
      <dt>
        <bdi className="breaks">{name}</bdi>
      </dt>
      <dd>
        <Text size="sm">
          registered <Moment at={createdAt} />, last used <Moment at={lastUsedAt} />
        </Text>
        <div className={areaClasses.actions}>
          <Button size="compact-sm" variant="default" aria-label={`Rename ${name}`} onClick={() => onShow("rename")}>
            Rename …
          </Button>
          <Button
            size="compact-sm"
            variant="outline"
            color="red"
            aria-label={`Remove ${name}`}
            onClick={() => onShow("remove")}
          >
            Remove …
          </Button>
        </div>
      </dd>
    </div>
  );
}

function Renaming({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  return (
    <ChangeDrawer
      title="Rename a passkey"
      stored={{ name: passkey.name }}
      plan={({ name }) => planRename(passkey.id, name)}
      done={() => "The passkey has another name."}
      objection={({ name }) => (name.trim() ? undefined : "The name is missing.")}
      onClose={onClose}
    >
      {({ name }, change) => (
        <AtField of="name">
          <TextInput
            label="Name of the passkey"
            maxLength={100}
            value={name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
        </AtField>
      )}
    </ChangeDrawer>
  );
}

interface RemovalProps {
  passkey: Passkey;
  /** Whether no second factor is left without it. */
  isLast: boolean;
  onClose: () => void;
}

function Removal({ passkey, isLast, onClose }: RemovalProps) {
  return (
    <Proved
      title="Remove a passkey"
      action="Remove it"
      done="The passkey is removed."
      plan={(password, proof) => planRemovePasskey(passkey.id, password, proof)}
      onDone={onClose}
      onClose={onClose}
    >
      <bdi>{passkey.name}</bdi> serves no more, and your other sessions end. Personal tokens stay.{" "}
      {isLast && "It is your last second factor: the recovery codes go with it."} Delete it on its device as well.
    </Proved>
  );
}

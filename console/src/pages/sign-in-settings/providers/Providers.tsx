import { Group, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useRead, useWhyNot } from "../../../api/queries";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { useAddress } from "../../../parts/address";
import { Listing, type Column } from "../../../parts/area/Listing";
import { OpenRow } from "../../../parts/area/OpenRow";
import areaClasses from "../../../parts/area/Area.module.css";
import { confirm } from "../../../parts/confirm";
import { RemoveButton } from "../../../parts/forms/RemoveButton";
import { useKeys } from "../../../parts/keys";
import { tellFailure } from "../../../parts/notices";
import { swapped } from "../../../parts/order";
import { useRootRoles } from "../../../parts/people";
import ProviderIcon from "../../../parts/ProviderIcon";
import { readProviders } from "../../../parts/providers";
import { RefusableSwitch } from "../../../parts/switches/RefusableSwitch";
import { draftOf, freshDraft, planDelete, planOrder, planUpdate } from "./draft";
import { kinds, type Provider } from "./kinds";
import { creation, NewProvider } from "./NewProvider";
import { endsSessions, ProviderDrawer } from "./ProviderDrawer";
import { mostProviders } from "./settings";

/** The login providers beside those of the two settings, in the order of their buttons. */
export default function Providers() {
  const { get, change } = useAddress();
  const read = useRead(readProviders);
  const roles = useRootRoles();
  const close = () => change({ new: undefined, provider: undefined });
  const show = ({ id }: Provider) => change({ provider: id });
  useKeys({ n: { does: "New login provider", run: () => change({ new: "true" }) } });
  const providers = read.data?.providers ?? [];
  const ids = providers.map(({ id }) => id);
  const opened = get("provider");
  const columns: Column<Provider>[] = [
    {
      head: "Label",
      cell: (provider) => (
        <Group gap="sm" wrap="nowrap">
          <ProviderIcon icon={provider.icon} />
          <div>
            <OpenRow name={provider.label} note={provider.id} onClick={() => show(provider)} />
          </div>
        </Group>
      ),
    },
    { head: "Kind", cell: ({ kind }) => kinds[kind].name },
    { head: "In use", cell: (provider) => <InUse provider={provider} /> },
    {
      head: "Order",
      cell: ({ id, label }) => (
        <div className={areaClasses.actions}>
          <Move ids={ids} id={id} label={label} by={-1} />
          <Move ids={ids} id={id} label={label} by={1} />
        </div>
      ),
    },
    {
      head: <span className="visually-hidden">Actions</span>,
      cell: ({ id, label }) => (
        <RemoveButton
          compact
          what="login provider"
          name={label}
          request={planDelete(id)}
          consequence={`Its button goes, and its addresses serve no more. ${endsSessions} Who its people are here stays known: they come in again once a provider with the same id and issuer is created.`}
        />
      ),
    },
  ];

  return (
    <section aria-label="Login providers">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Text size="sm">
            Each has a button of its own on the page to sign in, beside OpenID Connect and SAML of the pages here.
          </Text>
          <ActionButton
            request={creation()}
            because={
              providers.length >= mostProviders ? `There are ${mostProviders} already: delete one first.` : undefined
            }
            onClick={() => change({ new: "true" })}
          >
            New login provider
          </ActionButton>
        </Group>
        <Listing
          label="List of login providers"
          read={read}
          items={providers}
          keyOf={({ id }) => id}
          columns={columns}
          open={show}
          empty="There is no login provider besides those of OpenID Connect and SAML."
        />
      </Stack>
      {get("new") !== undefined && <NewProvider roles={roles} onClose={close} />}
      {opened !== undefined && <ProviderDrawer key={opened} id={opened} roles={roles} onClose={close} />}
    </section>
  );
}

interface MoveProps {
  ids: readonly string[];
  id: string;
  label: string;
  by: 1 | -1;
}

function Move({ ids, id, label, by }: MoveProps) {
  const { act, busy } = useAct();
  const place = useRef<HTMLSpanElement>(null);
  const isMoving = useRef(false);
  const at = ids.indexOf(id);
  const order = swapped(ids, id, by);
  // A row that moves loses the focus, and whoever moves it may not be done.
  useEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    place.current?.querySelector("button")?.focus();
  }, [at]);

  async function move(wanted: string[]) {
    isMoving.current = true;
    const done = await act({ request: planOrder(wanted), done: `${label} was moved.`, undo: planOrder([...ids]) });
    if (!done) isMoving.current = false;
  }

  return (
    <span ref={place}>
      <ActionButton
        variant="default"
        size="compact-xs"
        request={planOrder([...ids])}
        because={order ? undefined : by < 0 ? "It is the first." : "It is the last."}
        loading={busy}
        onClick={() => order && void move(order)}
      >
        <span aria-hidden>{by < 0 ? "↑" : "↓"}</span>
        <span className="visually-hidden">
          Move {label} {by < 0 ? "up" : "down"}
        </span>
      </ActionButton>
    </span>
  );
}

function InUse({ provider }: { provider: Provider }) {
  const { id, kind, label, enabled } = provider;
  const { act, busy } = useAct();
  const refusal = useWhyNot()(planUpdate(id, kind, draftOf(provider)));

  async function change() {
    let stored;
    try {
      stored = await freshDraft(id);
    } catch (failure) {
      return tellFailure(failure);
    }
    const planned = planUpdate(id, kind, { ...stored, enabled: !enabled });
    const isSure =
      !enabled ||
      (await confirm({
        title: `Switch ${label} off`,
        action: "Switch it off",
        danger: true,
        requests: [planned],
        consequence: `Its button goes from the page to sign in. ${endsSessions}`,
      }));
    if (isSure)
      await act({
        request: planned,
        done: enabled ? `Nobody can sign in through ${label} now.` : `People can sign in through ${label}.`,
        undo: planUpdate(id, kind, { ...stored, enabled }),
      });
  }

  return (
    <RefusableSwitch
      aria-label={`${label} is in use`}
      refusal={refusal}
      busy={busy}
      checked={enabled}
      onChange={() => void change()}
    />
  );
}

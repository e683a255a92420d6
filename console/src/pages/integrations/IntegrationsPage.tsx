import { Button, Group } from "@mantine/core";
import { useProjects, useRead } from "../../api/queries";
import { request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAddress } from "../../parts/address";
import { Area } from "../../parts/area/Area";
import areaClasses from "../../parts/area/Area.module.css";
import { Listing, type Column } from "../../parts/area/Listing";
import { OpenRow } from "../../parts/area/OpenRow";
import { SearchField, holds } from "../../parts/area/SearchField";
import { useKeys } from "../../parts/keys";
import { Moment } from "../../parts/Moment";
import { anyNew, draftOf, inShort, type Integration } from "./integrations";
import { IntegrationDrawer } from "./IntegrationDrawer";
import { NewIntegration } from "./NewIntegration";

/** The other systems that are told of what happens here. */
export default function IntegrationsPage() {
  const { get, change } = useAddress();
  // What receivers take changes by itself.
  const read = useRead(request("get", "/api/admin/addons"), { refetchInterval: 10_000 });
  const projects = new Map(useProjects().map(({ id, name }) => [id, name]));
  const make = () => change({ new: "true" });
  const close = () => change({ new: undefined, open: undefined, tab: undefined });
  useKeys({ n: { does: "New integration", run: make } });

  const all = read.data?.addons ?? [];
  const providers = read.data?.providers ?? [];
  const kindOf = ({ provider }: Integration) => providers.find(({ name }) => name === provider);
  const kindName = (integration: Integration) => kindOf(integration)?.displayName ?? integration.provider;
  const nameOf = (integration: Integration) => integration.description?.trim() || kindName(integration);
  const shown = all.filter((one) => holds(get("query"), one.description, one.provider, kindName(one)));
  const opened = all.find(({ id }) => String(id) === get("open"));

  const columns: Column<Integration>[] = [
    {
      head: "Description",
      cell: (one) => <OpenRow name={nameOf(one)} onClick={() => change({ open: String(one.id) })} />,
    },
    { head: "Type", cell: kindName },
    { head: "State", cell: (one) => <State integration={one} /> },
    {
      head: "Events",
      wide: true,
      cell: (one) => <div className={`breaks ${areaClasses.room}`}>{inShort(draftOf(one), projects)}</div>,
    },
    { head: "Created", wide: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      head: <span className="visually-hidden">Actions</span>,
      cell: (one) => (
        <Button size="compact-xs" variant="default" onClick={() => change({ open: String(one.id), tab: "log" })}>
          Log<span className="visually-hidden"> of {nameOf(one)}</span>
        </Button>
      ),
    },
  ];

  return (
    <Area
      title="Integrations"
      fills
      action={
        <ActionButton request={anyNew} onClick={make}>
          New integration
        </ActionButton>
      }
    >
      <Group gap="sm" role="search" aria-label="Integrations">
        <SearchField label="Type or description" />
        <span className="muted">Other systems that get events from here.</span>
      </Group>
      <Listing
        label="Integrations"
        read={read}
        items={shown}
        keyOf={({ id }) => String(id)}
        columns={columns}
        open={({ id }) => change({ open: String(id) })}
        empty={
          all.length > 0
            ? "No integration fits what is searched for."
            : "There is no integration yet. One tells a chat, a monitor or an application of yours when something happens here: a flag is switched on, a segment is changed, a token is created."
        }
      />
      {get("new") !== undefined && providers.length > 0 && (
        <NewIntegration
          providers={providers}
          onClose={close}
          onMade={({ id }) => change({ new: undefined, open: String(id) })}
        />
      )}
      {opened && (
        <IntegrationDrawer
          key={opened.id}
          id={opened.id}
          name={nameOf(opened)}
          provider={kindOf(opened)}
          onClose={close}
        />
      )}
    </Area>
  );
}

function State({ integration: { enabled, failingSince } }: { integration: Integration }) {
  return (
    <div>
      {enabled ? "on" : <span className="muted">off</span>}
      {failingSince && (
        <div className="warning">
          failing since <Moment at={failingSince} absolute />
        </div>
      )}
    </div>
  );
}

import { Button, Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRead, useWhyNot } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { useAddress } from "../../../parts/address";
import { type Column } from "../../../parts/area/Listing";
import { OpenRow } from "../../../parts/area/OpenRow";
import { confirm, unasked } from "../../../parts/confirm";
import { EnvironmentName, isProduction } from "../../../parts/EnvironmentName";
import { RefusableSwitch } from "../../../parts/switches/RefusableSwitch";
import { BuildList } from "../BuildList";
import { CloneEnvironment } from "./CloneEnvironment";
import { EnvironmentDrawer, NewEnvironment, example } from "./EnvironmentForms";
import { moved } from "./order";

type Environment = Schemas["Environment"];

/** Where features are on or off by themselves: their types, and the order in which they are shown. */
export function Environments() {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/environments"));
  const environments = read.data?.environments ?? [];
  const close = () => change({ new: undefined, open: undefined, clone: undefined });
  const columns: Column<Environment>[] = [
    {
      head: "Name",
      cell: ({ name, type }) => (
        <>
          {isProduction(type) && <EnvironmentSign />}
          <OpenRow name={name} onClick={() => change({ open: name })} />
        </>
      ),
    },
    { head: "Type", cell: ({ type }) => <bdi className="breaks">{type}</bdi> },
    { head: "In use", cell: (environment) => <InUse environment={environment} /> },
    { head: "Projects", wide: true, cell: ({ projectCount }) => <span className="figures">{projectCount}</span> },
    {
      head: "Flags on",
      wide: true,
      cell: ({ enabledToggleCount }) => <span className="figures">{enabledToggleCount}</span>,
    },
    { head: "API tokens", wide: true, cell: ({ apiTokenCount }) => <span className="figures">{apiTokenCount}</span> },
    {
      head: "Order",
      wide: true,
      cell: ({ name }) => (
        <Group gap={6} wrap="nowrap">
          <Move environments={environments} name={name} by={-1} />
          <Move environments={environments} name={name} by={1} />
          <Button variant="default" size="compact-xs" onClick={() => change({ clone: name })}>
            Clone …<span className="visually-hidden"> {name}</span>
          </Button>
          <Link to="/build/environments/$name/rewind" params={{ name }}>
            Rewind<span className="visually-hidden"> {name}</span>
          </Link>
        </Group>
      ),
    },
  ];
  const opened = environments.find(({ name }) => name === get("open"));
  const cloned = environments.find(({ name }) => name === get("clone"));
  return (
    <BuildList
      title="Environments"
      one="environment"
      read={read}
      items={environments}
      keyOf={({ name }) => name}
      texts={({ name, type }) => [name, type]}
      columns={columns}
      create={example}
      empty="There is no environment."
    >
      {get("new") !== undefined && <NewEnvironment environments={environments} onClose={close} />}
      {opened && (
        <EnvironmentDrawer key={opened.name} environment={opened} environments={environments} onClose={close} />
      )}
      {cloned && <CloneEnvironment key={cloned.name} original={cloned} onClose={close} />}
    </BuildList>
  );
}

const EnvironmentSign = () => (
  <span className="production-name">
    <span aria-hidden>▲ </span>
    <span className="visually-hidden">production: </span>
  </span>
);

function Move({ environments, name, by }: { environments: Environment[]; name: string; by: 1 | -1 }) {
  const { act, busy } = useAct();
  const order = moved(environments, name, by);
  const before = Object.fromEntries(environments.map((one) => [one.name, one.sortOrder]));
  const plan = (body: Record<string, number>) => request("put", "/api/admin/environments/sort-order", { body });
  return (
    <ActionButton
      variant="default"
      size="compact-xs"
      request={plan(before)}
      because={order ? undefined : by < 0 ? "It is the first." : "It is the last."}
      loading={busy}
      onClick={() => order && void act({ request: plan(order), done: `${name} was moved.`, undo: plan(before) })}
    >
      <span aria-hidden>{by < 0 ? "↑" : "↓"}</span>
      <span className="visually-hidden">
        Move {name} {by < 0 ? "up" : "down"}
      </span>
    </ActionButton>
  );
}

function InUse({ environment }: { environment: Environment }) {
  const { name, enabled, type, projectCount, enabledToggleCount } = environment;
  const { act, busy } = useAct();
  const plan = (on: boolean) =>
    on
      ? request("post", "/api/admin/environments/{name}/on", { params: { path: { name } } })
      : request("post", "/api/admin/environments/{name}/off", { params: { path: { name } } });
  const refusal = useWhyNot()(plan(!enabled));

  async function change() {
    const meant = isProduction(type)
      ? await confirm({
          title: `${enabled ? "Take" : "Put"} ${name} ${enabled ? "out of" : "into"} use`,
          action: enabled ? `Take ${name} out of use` : `Put ${name} into use`,
          danger: enabled,
          reasoned: true,
          requests: [plan(!enabled)],
          consequence: (
            <>
              <EnvironmentName name={name} type={type} /> is in {projectCount} projects, with {enabledToggleCount} flags
              on.{" "}
              {enabled
                ? "The console no longer shows it in lists of flags, and new projects do without it."
                : "It is shown in lists of flags again."}
            </>
          ),
        })
      : unasked;
    if (meant)
      await act({
        request: meant.because(plan(!enabled)),
        done: `${name} is ${enabled ? "out of use" : "in use"}.`,
        undo: plan(enabled),
      });
  }

  return (
    <RefusableSwitch
      aria-label={`${name} is in use`}
      refusal={refusal}
      busy={busy}
      checked={enabled}
      onChange={() => void change()}
    />
  );
}

import { Group } from "@mantine/core";
import { useState } from "react";
import { serverTime } from "../../api/clock";
import { useEnvironments, useRead } from "../../api/queries";
import { ActionButton } from "../../parts/ActionButton";
import { useAddress } from "../../parts/address";
import { Area } from "../../parts/area/Area";
import { Listing, type Column } from "../../parts/area/Listing";
import { OpenRow } from "../../parts/area/OpenRow";
import { EnvironmentName } from "../../parts/EnvironmentName";
import { RemoveButton } from "../../parts/forms/RemoveButton";
import { useKeys } from "../../parts/keys";
import { useRoles } from "../../parts/people";
import { settingsTabs } from "../../parts/settings";
import { useZone } from "../../parts/zone";
import { Calendar } from "./Calendar";
import { ChangeFreeze, NewFreeze } from "./FreezeDrawer";
import { blank, planNew, planRemoval, standingOf, timeOf, windowsRequest, type Window } from "./freezes";

const standings = { now: "in force", later: "", over: "over" };

/** When environments must stay as they are. */
export default function FreezesPage() {
  const { get, change } = useAddress();
  const zone = useZone();
  const [now] = useState(() => new Date(serverTime()));
  const environments = useEnvironments();
  const roles = useRoles();
  const read = useRead(windowsRequest);
  const windows = read.data?.windows ?? [];
  const shown = windows.find(({ id }) => String(id) === get("open"));
  const open = (value: string | undefined) => change({ new: value });
  useKeys({ n: { does: "New freeze", run: () => open("true") } });

  const columns: Column<Window>[] = [
    {
      head: "Reason",
      cell: (window) => <OpenRow name={window.reason} onClick={() => change({ open: String(window.id) })} />,
    },
    {
      head: "Where",
      cell: ({ environment }) =>
        environment ? (
          <EnvironmentName name={environment} type={environments.find(({ name }) => name === environment)?.type} />
        ) : (
          "every environment"
        ),
    },
    {
      head: "When",
      cell: (window) => {
        const standing = standings[standingOf(window, now)];
        return (
          <span className="breaks">
            {timeOf(window)} <span className="muted">({window.zone})</span>
            {standing && <span className="chip">{standing}</span>}
          </span>
        );
      },
    },
    {
      head: "Exempt roles",
      wide: true,
      cell: ({ exemptRoles }) =>
        exemptRoles.map((id) => roles.find((role) => role.id === id)?.name ?? `role ${id}`).join(", ") || "none",
    },
    {
      head: <span className="visually-hidden">Delete</span>,
      cell: ({ id, reason }) => (
        <RemoveButton
          compact
          what="freeze"
          name={reason.slice(0, 80)}
          request={planRemoval(id)}
          consequence="What it prevents is possible again."
        />
      ),
    },
  ];

  return (
    <Area
      title="Freezes"
      tabs={settingsTabs}
      action={
        <ActionButton request={planNew({ ...blank(zone, now), reason: "…" })} onClick={() => open("true")}>
          New freeze
        </ActionButton>
      }
    >
      <Group gap="sm">
        <span className="muted">
          While one is in force, nothing is changed in its environment, change requests are not applied, and schedules
          wait. Flags can always be switched off.
        </span>
      </Group>
      {windows.length > 0 && <Calendar windows={windows} now={now} />}
      <Listing
        label="Freezes"
        read={read}
        items={windows}
        keyOf={({ id }) => String(id)}
        columns={columns}
        open={({ id }) => change({ open: String(id) })}
        empty="There is no freeze: environments can be changed at any time."
      />
      {get("new") !== undefined && <NewFreeze initial={blank(zone, now)} onClose={() => open(undefined)} />}
      {shown && <ChangeFreeze key={shown.id} window={shown} now={now} onClose={() => change({ open: undefined })} />}
    </Area>
  );
}

import { Group, SegmentedControl } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEnvironments, useMe, useRead } from "../../api/queries";
import { useAddress } from "../../parts/address";
import { Area } from "../../parts/area/Area";
import { Listing, type Column } from "../../parts/area/Listing";
import { openOrClosed } from "../../parts/change-requests/openOrClosed";
import { personOf, touched } from "../../parts/change-requests/requests";
import { StateChip } from "../../parts/change-requests/StateChip";
import { searchRequest, type Found } from "../../parts/change-requests/search";
import { EnvironmentName } from "../../parts/EnvironmentName";
import { Moment } from "../../parts/Moment";
import { Turning } from "../../parts/Turning";
import { number } from "../../words/counts";

const pageSize = 50;

const whose = [
  { value: "asked", label: "Asked of me" },
  { value: "decide", label: "I may decide" },
  { value: "mine", label: "Mine" },
  { value: "all", label: "All" },
];

const empty: Record<string, string> = {
  asked: "Nobody asks you for an approval. “I may decide” has all that you have the permission for.",
  decide: "Nothing waits for an approval that you may give, or to be applied by you.",
  mine: "You have no change request here.",
  all: "There is no change request here that you may see.",
};

/** Change requests of all projects: those that somebody is asked about or may decide about, their own, and all others. */
export default function ChangeRequestsPage() {
  const { get, change } = useAddress();
  const navigate = useNavigate();
  const me = useMe();
  const environments = useEnvironments();
  const offset = Number(get("offset") ?? "0") || 0;
  const state = get("state") === "closed" ? "closed" : "open";
  const shown = get("whose") ?? "asked";
  const person = me?.user.id;
  const isDecided = shown === "decide";
  const read = useRead(
    searchRequest({
      isOpen: state === "open" || isDecided,
      author: shown === "mine" ? person : undefined,
      askedOf: shown === "asked" ? person : undefined,
      isActionable: isDecided,
      offset,
      limit: pageSize,
    }),
    { enabled: me !== undefined },
  );
  const found = read.data?.changeRequests ?? [];
  const total = read.data?.total ?? 0;
  const columns: Column<Found>[] = [
    {
      head: "Title",
      cell: ({ id, title, project }) => (
        <>
          <Link
            className="breaks"
            to="/projects/$projectId/change-requests/$id"
            params={{ projectId: project, id: String(id) }}
          >
            <bdi>{title}</bdi>
          </Link>{" "}
          <span className="muted figures">#{id}</span>
        </>
      ),
    },
    { head: "State", cell: ({ state: one, schedule }) => <StateChip state={one} schedule={schedule} /> },
    {
      head: "In",
      cell: ({ environment, project }) => (
        <span className="breaks">
          <EnvironmentName name={environment} type={environments.find(({ name }) => name === environment)?.type} /> of{" "}
          <bdi>{project}</bdi>
        </span>
      ),
    },
    {
      head: "Changes",
      cell: ({ features, segments }) => (
        <span className="breaks">
          <bdi>{touched(features, segments)}</bdi>
        </span>
      ),
    },
    {
      head: "By",
      wide: true,
      cell: ({ createdBy }) => (
        <span className="breaks">
          <bdi>{personOf(createdBy)}</bdi>
        </span>
      ),
    },
    { head: "Created", wide: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  ];
  return (
    <Area title="Change requests" fills>
      <Group gap="sm" role="search" aria-label="Change requests">
        <SegmentedControl
          aria-label="Whose change requests"
          data={whose}
          value={shown}
          onChange={(value) => change({ whose: value === "asked" ? undefined : value, offset: undefined })}
        />
        {!isDecided && (
          <SegmentedControl
            aria-label="Which change requests"
            data={openOrClosed}
            value={state}
            onChange={(value) => change({ state: value === "open" ? undefined : value, offset: undefined })}
          />
        )}
      </Group>
      <Listing
        label="Change requests"
        read={read}
        items={found}
        keyOf={({ id }) => String(id)}
        columns={columns}
        open={({ id, project }) =>
          void navigate({
            to: "/projects/$projectId/change-requests/$id",
            params: { projectId: project, id: String(id) },
          })
        }
        empty={empty[shown] ?? empty.all}
      />
      {total > pageSize && (
        <Group gap="sm" justify="flex-end">
          <span role="status" className="muted figures">
            {number(offset + 1)}–{number(offset + found.length)} of {number(total)}
          </span>
          <Turning
            {...{ offset, total, pageSize }}
            count={found.length}
            turn={(to) => change({ offset: String(to) })}
          />
        </Group>
      )}
    </Area>
  );
}

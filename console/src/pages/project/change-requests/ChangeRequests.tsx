import { Group, SegmentedControl } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEnvironments, useGuards, useRead } from "../../../api/queries";
import { useAddress } from "../../../parts/address";
import { Listing, type Column } from "../../../parts/area/Listing";
import { holds, SearchField } from "../../../parts/area/SearchField";
import {
  isOpen,
  listRequest,
  personOf,
  touched,
  type ListedChangeRequest,
} from "../../../parts/change-requests/requests";
import { openOrClosed } from "../../../parts/change-requests/openOrClosed";
import { StateChip } from "../../../parts/change-requests/StateChip";
import { EnvironmentName } from "../../../parts/EnvironmentName";
import { Moment } from "../../../parts/Moment";
import type { OfProject } from "../ProjectPage";
import classes from "../Project.module.css";

const touchedBy = ({ features, segments }: ListedChangeRequest) =>
  touched(
    features.map(({ name }) => name),
    segments.map(({ name }) => name),
  );

/** The change requests of a project: those that wait for something, and those that are over. */
export default function ChangeRequests({ projectId }: OfProject) {
  const { get, change } = useAddress();
  const navigate = useNavigate();
  const environments = useEnvironments();
  const isGuarded = useGuards(projectId).some(({ changeRequestEnabled }) => changeRequestEnabled);
  const read = useRead(listRequest(projectId));
  const state = get("state") === "closed" ? "closed" : "open";
  const wanted = (read.data ?? []).filter((one) => isOpen(one.state) === (state === "open"));
  const fitting = wanted.filter((one) => holds(get("query"), one.title, touchedBy(one), personOf(one.createdBy)));
  const columns: Column<ListedChangeRequest>[] = [
    {
      head: "Title",
      cell: ({ id, title }) => (
        <>
          <Link className="breaks" to="/projects/$projectId/change-requests/$id" params={{ projectId, id: String(id) }}>
            <bdi>{title}</bdi>
          </Link>{" "}
          <span className="muted figures">#{id}</span>
        </>
      ),
    },
    { head: "State", cell: ({ state: one, schedule }) => <StateChip state={one} schedule={schedule} /> },
    {
      head: "In",
      cell: ({ environment }) => (
        <EnvironmentName name={environment} type={environments.find(({ name }) => name === environment)?.type} />
      ),
    },
    {
      head: "Changes",
      cell: (one) => (
        <span className="breaks">
          <bdi>{touchedBy(one)}</bdi>
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
    <div className={classes.list}>
      <Group gap="sm" role="search" aria-label="Change requests">
        <SegmentedControl
          aria-label="Which change requests"
          data={openOrClosed}
          value={state}
          onChange={(value) => change({ state: value === "open" ? undefined : value })}
        />
        <SearchField label="Part of the title" />
      </Group>
      <Listing
        label="Change requests"
        read={read}
        items={fitting}
        keyOf={({ id }) => String(id)}
        columns={columns}
        open={({ id }) =>
          void navigate({
            to: "/projects/$projectId/change-requests/$id",
            params: { projectId, id: String(id) },
          })
        }
        empty={
          wanted.length ? (
            "No change request fits what is searched for."
          ) : isGuarded ? (
            `No change request is ${state}. Changes in an environment that needs approval are collected in your draft.`
          ) : (
            <>
              No change request is {state}. Changes in this project take effect at once; environments that need approval
              are chosen in the{" "}
              <Link to="/projects/$projectId/$tab" params={{ projectId, tab: "settings" }}>
                settings
              </Link>
              .
            </>
          )
        }
      />
    </div>
  );
}

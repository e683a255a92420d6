import { Group, SegmentedControl } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useGuards, useRead } from "../../../api/queries";
import { useAddress } from "../../../parts/address";
import { holds, SearchField } from "../../../parts/area/SearchField";
import { ChangeRequestList } from "../../../parts/change-requests/ChangeRequestList";
import { openOrClosed } from "../../../parts/change-requests/openOrClosed";
import {
  isOpen,
  listRequest,
  personOf,
  touched,
  type ListedChangeRequest,
} from "../../../parts/change-requests/requests";
import type { OfProject } from "../shown";
import classes from "../Project.module.css";

const touchedBy = ({ features, segments }: ListedChangeRequest) =>
  touched(
    features.map(({ name }) => name),
    segments.map(({ name }) => name),
  );

/** The change requests of a project: those that wait for something, and those that are over. */
export default function ChangeRequests({ projectId }: OfProject) {
  const { get, change } = useAddress();
  const isGuarded = useGuards(projectId).some(({ changeRequestEnabled }) => changeRequestEnabled);
  const read = useRead(listRequest(projectId));
  const state = get("state") === "closed" ? "closed" : "open";
  const wanted = (read.data ?? []).filter((one) => isOpen(one.state) === (state === "open"));
  const fitting = wanted.filter((one) => holds(get("query"), one.title, touchedBy(one), personOf(one.createdBy)));
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
      <ChangeRequestList
        read={read}
        items={fitting}
        touchedBy={touchedBy}
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

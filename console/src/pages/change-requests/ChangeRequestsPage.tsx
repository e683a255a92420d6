import { Group, SegmentedControl } from "@mantine/core";
import { useMe, useRead } from "../../api/queries";
import { useAddress } from "../../parts/address";
import { Area } from "../../parts/area/Area";
import { ChangeRequestList } from "../../parts/change-requests/ChangeRequestList";
import { openOrClosed } from "../../parts/change-requests/openOrClosed";
import { touched } from "../../parts/change-requests/requests";
import { searchRequest } from "../../parts/change-requests/search";
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
  const me = useMe();
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
      <ChangeRequestList
        read={read}
        items={found}
        touchedBy={({ features, segments }) => touched(features, segments)}
        namesProject
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

import { Button, Checkbox, Group, Text } from "@mantine/core";
import { useState } from "react";
import { send } from "../../../api/client";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { ActionButton } from "../../../parts/ActionButton";
import { useAct } from "../../../parts/act";
import { Area } from "../../../parts/area/Area";
import { Listing, type Column } from "../../../parts/area/Listing";
import { confirm } from "../../../parts/confirm";
import { Moment } from "../../../parts/Moment";
import { tellFailure } from "../../../parts/notices";
import { nameOf, peopleTabs } from "../../../parts/people";

type Person = Schemas["InactiveUser"];

/** As many as one call takes. */
const most = 1000;

/** Those who have not been here for half a year, and so need no access. */
export function Inactive() {
  const read = useRead(request("get", "/api/admin/user-admin/inactive"));
  const people = read.data?.inactiveUsers ?? [];
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [isLooking, setLooking] = useState(false);
  const { act, busy } = useAct();
  const selected = people.filter(({ id }) => chosen.has(id)).slice(0, most);
  const plan = (dryRun: boolean) =>
    request("post", "/api/admin/user-admin/inactive/delete", {
      params: { query: { dryRun } },
      body: { ids: selected.map(({ id }) => id) },
    });
  const select = (ids: number[], on: boolean) => {
    const next = new Set(chosen);
    for (const id of ids) {
      if (on) next.add(id);
      else next.delete(id);
    }
    setChosen(next);
  };

  async function remove() {
    setLooking(true);
    let count;
    try {
      const { data } = await send(plan(true));
      count = data.events.filter(({ type }) => type === "user-deleted").length;
    } catch (failure) {
      return tellFailure(failure);
    } finally {
      setLooking(false);
    }
    const isSure = await confirm({
      title: "Delete inactive users",
      action: `Delete ${count}`,
      danger: true,
      typed: String(count),
      requests: [plan(false)],
      consequence: (
        <>
          {count} of {selected.length} will be deleted: <bdi>{selected.map(nameOf).join(", ")}</bdi>.
          {count < selected.length && " The others came back meanwhile, or are you."}
        </>
      ),
    });
    if (!isSure) return;
    const done = await act({ request: plan(false), done: `${count} users are deleted.` });
    if (done) setChosen(new Set());
  }

  const all = people.length > 0 && people.every(({ id }) => chosen.has(id));
  const columns: Column<Person>[] = [
    {
      head: (
        <Checkbox
          size="xs"
          aria-label="Select all"
          checked={all}
          onChange={(event) =>
            select(
              people.map(({ id }) => id),
              event.currentTarget.checked,
            )
          }
        />
      ),
      cell: (person) => (
        <Checkbox
          size="xs"
          aria-label={`Select ${nameOf(person)}`}
          checked={chosen.has(person.id)}
          onChange={(event) => select([person.id], event.currentTarget.checked)}
        />
      ),
    },
    { head: "Name", cell: (person) => <bdi className="breaks">{nameOf(person)}</bdi> },
    { head: "Email", wide: true, cell: ({ email }) => <bdi className="breaks">{email ?? "–"}</bdi> },
    { head: "Last seen", cell: ({ seenAt }) => <Moment at={seenAt} /> },
    { head: "Token used", wide: true, cell: ({ patSeenAt }) => <Moment at={patSeenAt} /> },
    { head: "Created", wide: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  ];

  return (
    <Area title="Inactive users" tabs={peopleTabs} fills>
      <Text size="sm" className="muted">
        Users who neither signed in nor used a personal token for 180 days.
      </Text>
      {selected.length > 0 && (
        <Group gap="sm" className="card bulk" role="region" aria-label="Selected">
          <span>{selected.length} selected</span>
          <ActionButton
            request={plan(false)}
            color="red"
            size="compact-sm"
            loading={busy || isLooking}
            onClick={() => void remove()}
          >
            Delete them …
          </ActionButton>
          <Button variant="default" size="compact-sm" onClick={() => setChosen(new Set())}>
            Select none
          </Button>
        </Group>
      )}
      <Listing
        label="Inactive users"
        read={read}
        items={people}
        keyOf={({ id }) => String(id)}
        columns={columns}
        empty="Every user was active in the last 180 days."
      />
    </Area>
  );
}

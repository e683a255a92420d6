import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { serverTime } from "../../../api/clock";
import { useRead } from "../../../api/queries";
import type { Schemas } from "../../../api/request";
import { Listing, type Column } from "../../../parts/area/Listing";
import { Moment } from "../../../parts/Moment";
import { nameOf } from "../../../parts/people";
import { number } from "../../../words/counts";
import { readExpiringUsers } from "./accountPolicy";

type User = Schemas["ExpiringUser"];

/** Users whom the policy deactivates unless they use their account before. */
export function ExpiringUsers({ policy }: { policy: Schemas["AccountPolicy"] | undefined }) {
  const read = useRead(readExpiringUsers);
  const [now] = useState(() => serverTime());
  const { users = [], total = 0 } = read.data ?? {};
  const columns: Column<User>[] = [
    {
      head: "User",
      cell: (user) => (
        <Link
          to="/people/$tab"
          params={{ tab: "users" }}
          search={{ user: String(user.id) } as never}
          className="breaks"
        >
          <bdi>{nameOf(user)}</bdi>
        </Link>
      ),
    },
    { head: "Email", wide: true, cell: ({ email }) => <bdi className="breaks">{email ?? "–"}</bdi> },
    { head: "Last used", cell: ({ usedAt }) => <Moment at={usedAt} /> },
    {
      head: "Deactivated",
      cell: ({ deactivatesAt }) =>
        Date.parse(deactivatesAt) <= now ? "within an hour" : <Moment at={deactivatesAt} />,
    },
  ];
  return (
    <>
      {users.length > 0 && (
        <Text size="sm" className="muted" mb="sm">
          {total > users.length ? `The first ${number(users.length)} of ${number(total)}, soonest` : "Soonest"} first.
          Whoever uses their account before stays active, and so does the last administrator who can act.
        </Text>
      )}
      <Listing
        label="Users who are next"
        read={read}
        items={users}
        keyOf={({ id }) => String(id)}
        columns={columns}
        empty={
          policy?.inactiveUserDays === null
            ? "Nobody: the policy deactivates no inactive users."
            : "Nobody is there whom the policy could deactivate."
        }
      />
    </>
  );
}

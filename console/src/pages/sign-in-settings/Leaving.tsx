import { Group, Text, Title } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { request } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import areaClasses from "../../parts/area/Area.module.css";
import { confirm } from "../../parts/confirm";
import { tellFailure } from "../../parts/notices";

const counted = (count: number, what: "users" | "groups") => `${count} ${count === 1 ? what.slice(0, -1) : what}`;

const kinds = {
  users: {
    event: "user-deleted",
    plan: (dryRun: boolean) =>
      request("delete", "/api/admin/user-admin/scim-users", { params: { query: dryRun ? { dryRun } : {} } }),
    consequence: "They are signed out everywhere, and their personal tokens, memberships and favourites go.",
  },
  groups: {
    event: "group-deleted",
    plan: (dryRun: boolean) =>
      request("delete", "/api/admin/groups/scim-groups", { params: { query: dryRun ? { dryRun } : {} } }),
    consequence: "Their members stay, and lose the roles that they had by these groups.",
  },
} as const;

/** Deletes what the directory created, for an instance that leaves its directory. */
export function Leaving({ enabled }: { enabled: boolean }) {
  const { act, busy } = useAct();
  const [isLooking, setLooking] = useState(false);

  async function remove(what: keyof typeof kinds) {
    const { event, plan, consequence } = kinds[what];
    setLooking(true);
    let count;
    try {
      const { data } = await send(plan(true));
      count = data.events.filter(({ type }) => type === event).length;
    } catch (failure) {
      return tellFailure(failure);
    } finally {
      setLooking(false);
    }
    const isSure = await confirm({
      title: `Delete all SCIM ${what}`,
      action: `Delete ${counted(count, what)}`,
      danger: true,
      typed: "delete",
      requests: [plan(false)],
      consequence: `Of the directory, ${counted(count, what)} will be deleted. ${consequence}`,
    });
    if (isSure) await act({ request: plan(false), done: `Deleted ${counted(count, what)} of the directory.` });
  }

  return (
    <section className={areaClasses.section} aria-label="Leave the directory">
      <Title order={2}>Leave the directory</Title>
      <Text size="sm" my="sm">
        Deletes what directories manage, the default one and all others. Users and groups that none of them manages
        stay.
      </Text>
      <Group gap="sm">
        {(["users", "groups"] as const).map((what) => (
          <ActionButton
            key={what}
            request={kinds[what].plan(false)}
            because={enabled ? "Switch SCIM off first." : undefined}
            color="red"
            variant="outline"
            loading={busy || isLooking}
            onClick={() => void remove(what)}
          >
            Delete all SCIM {what} …
          </ActionButton>
        ))}
      </Group>
    </section>
  );
}

import { ActionIcon, Button, Group, Popover, Tooltip } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useRead, useRefresh } from "../../api/queries";
import { send } from "../../api/client";
import { request, type Schemas } from "../../api/request";
import { counted, number } from "../../words/counts";
import { Moment, WithMoments } from "../Moment";
import { tellFailure } from "../notices";
import classes from "./Bell.module.css";

type Notification = Schemas["Notification"];

const minute = 60_000;
const mine = request("get", "/api/admin/notifications");
const planRead = (notifications: readonly Notification[]) =>
  request("post", "/api/admin/notifications/read", { body: { notifications: notifications.map(({ id }) => id) } });

/** What others did in the projects of the person, with how much of it is not read. */
export function Bell() {
  const read = useRead(mine, { staleTime: minute, refetchInterval: minute });
  const refresh = useRefresh();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const all = read.data ?? [];
  const unread = all.filter(({ readAt }) => !readAt);
  const label = `Notifications, ${unread.length ? `${number(unread.length)} unread` : "none unread"}`;

  async function mark(notifications: readonly Notification[]) {
    if (notifications.length === 0) return;
    try {
      await send(planRead(notifications));
      await refresh();
    } catch (failure) {
      tellFailure(failure);
    }
  }

  function open(notification: Notification) {
    setOpen(false);
    if (!notification.readAt) void mark([notification]);
    void navigate({ href: notification.link });
  }

  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={360} trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Tooltip label={label}>
          <ActionIcon
            variant="default"
            size="lg"
            className={classes.bell}
            aria-label={label}
            onClick={() => setOpen(!isOpen)}
          >
            <IconBell size={18} aria-hidden />
            {unread.length > 0 && (
              <span className={classes.count} aria-hidden>
                {unread.length}
              </span>
            )}
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label="Notifications">
        <Group justify="space-between" wrap="nowrap" mb="sm">
          <h2>Notifications</h2>
          <Button variant="default" size="compact-sm" disabled={unread.length === 0} onClick={() => void mark(unread)}>
            Mark all as read
          </Button>
        </Group>
        {all.length === 0 ? (
          <p className="muted">Nothing happened in your projects in the last {counted(14, "day")}.</p>
        ) : (
          <ul className={classes.list}>
            {all.map((notification) => (
              <li key={notification.id} data-unread={!notification.readAt || undefined}>
                <button type="button" className="breaks" onClick={() => open(notification)}>
                  {!notification.readAt && <span className="visually-hidden">Unread: </span>}
                  <WithMoments text={notification.message} />
                </button>
                <span className="muted">
                  <Moment at={notification.createdAt} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

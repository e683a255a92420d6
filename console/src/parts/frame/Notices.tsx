import { Notifications, useNotifications } from "@mantine/notifications";
import { useEffect } from "react";
import "./Notices.css";

/** As many as leave a dialog most of a small screen; the others wait. */
const most = 2;

/**
 * Notices of what was done, at the bottom left. Dialogs end above them, so that none lies over an action: their height is
 * `--notices`.
 */
export function Notices() {
  const { notifications } = useNotifications();
  const isEmpty = notifications.length === 0;
  useEffect(() => {
    if (isEmpty) return;
    const place = document.querySelector<HTMLElement>(".notices[data-position=bottom-left]");
    if (!place) return;
    const { style } = document.documentElement;
    const measure = () => style.setProperty("--notices", `${place.offsetHeight}px`);
    const observer = new ResizeObserver(measure);
    observer.observe(place);
    measure();
    return () => {
      observer.disconnect();
      style.removeProperty("--notices");
    };
  }, [isEmpty]);
  return <Notifications className="notices" position="bottom-left" zIndex={500} limit={most} />;
}

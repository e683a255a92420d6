import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import classes from "./Band.module.css";

/** What is said below everything, within reach of the keyboard: in a dialog, where one is open. */
export function Band({ role, children }: { role: "alert" | "status"; children: ReactNode }) {
  const place = [...document.querySelectorAll("[role=dialog]")].at(-1) ?? document.body;
  return createPortal(
    <Group role={role} className={classes.band} gap="md">
      {children}
    </Group>,
    place,
  );
}

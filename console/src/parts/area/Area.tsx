import { Group, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ComponentType, ReactNode } from "react";
import { useTitle } from "../title";
import { ScrollingNav } from "../ScrollingNav";
import classes from "./Area.module.css";

export interface Tab {
  label: string;
  to: string;
  /** How much waits there, where something does. */
  Count?: ComponentType;
}

interface Props {
  title: string;
  /** The pages beside this one. */
  tabs?: readonly Tab[];
  /** What is done from here most often. */
  action?: ReactNode;
  /** Takes the height of the screen, so that a table scrolls within. */
  fills?: boolean;
  children: ReactNode;
}

/** A page: its heading, the pages beside it, and what it holds. */
export function Area({ title, tabs = [], action, fills = false, children }: Props) {
  useTitle(title);
  return (
    <div className={`${classes.page} ${fills ? classes.fills : ""}`}>
      <Group justify="space-between" gap="sm">
        <Title order={1}>{title}</Title>
        {action}
      </Group>
      {tabs.length > 0 && (
        <ScrollingNav label="Pages beside this one">
          {tabs.map(({ label, to, Count }) => (
            <Link key={to} to={to} activeProps={{ "aria-current": "page" }} activeOptions={{ includeSearch: false }}>
              {label}
              {Count && <Count />}
            </Link>
          ))}
        </ScrollingNav>
      )}
      {children}
    </div>
  );
}

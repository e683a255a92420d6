import { Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./Entrance.module.css";
import { Stone } from "./frame/Stone";

/** The page around what somebody without a session is asked. */
export function Entrance({ children }: { children: ReactNode }) {
  return (
    <main className={classes.page}>
      <div className={`card ${classes.card}`}>
        <div className={classes.brand}>
          <Stone />
          <Title order={1}>Flagstone</Title>
        </div>
        {children}
      </div>
    </main>
  );
}

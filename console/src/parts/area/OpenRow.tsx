import { UnstyledButton } from "@mantine/core";
import classes from "./OpenRow.module.css";

/** The name by which a row is opened. */
export function OpenRow({ name, note, onClick }: { name: string; note?: string | null; onClick: () => void }) {
  return (
    <>
      <UnstyledButton className={`breaks ${classes.name}`} onClick={onClick}>
        <bdi>{name}</bdi>
      </UnstyledButton>
      {note && (
        <div className={`muted breaks ${classes.note}`}>
          <bdi>{note}</bdi>
        </div>
      )}
    </>
  );
}

import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useState, type ReactNode } from "react";

interface Props {
  /** So many of them narrow the list now. */
  count: number;
  children: ReactNode;
}

/** The filters of a list: on a narrow screen they are behind a button, and the list is in sight. */
export function FilterFold({ count, children }: Props) {
  const isNarrow = useMediaQuery("(width < 800px)", undefined, { getInitialValueInEffect: false });
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {isNarrow && (
        <Button variant="default" size="compact-sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filters{count > 0 && ` (${count})`}
        </Button>
      )}
      {(!isNarrow || isOpen) && children}
    </>
  );
}

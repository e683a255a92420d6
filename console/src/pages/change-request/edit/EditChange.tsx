import { Button } from "@mantine/core";
import { useState } from "react";
import { useMe } from "../../../api/queries";
import { arriving } from "../../../parts/arriving";
import type { Shown } from "../ChangeRequestPage";
import { isEditable } from "../offers";
import type { Change } from "../sentences";
import { hasForm, type Editable, type Of } from "./editing";

export type Edited = Shown & {
  /** Of the flag; empty for segments. */
  feature: string;
  change: Editable;
  onClose: () => void;
};

/** The same of a change of one kind. */
export type OfOne<A extends Editable["action"]> = Omit<Edited, "change"> & { change: Of<A> };

const ChangeForm = arriving<Edited>(() => import("./ChangeForm"), { waiting: null, isBeside: true });

interface Props extends Shown {
  feature: string;
  change: Change;
}

/** Edits one change of an own change request, in the form that makes it where it takes effect at once. */
export function EditChange({ request, version, feature, change }: Props) {
  const me = useMe();
  // What was shown when it was opened: it is saved over nothing newer.
  const [opened, setOpened] = useState<Shown & { change: Editable }>();
  if (!isEditable(request, me?.user.id) || change.conflict !== undefined || !hasForm(change)) return null;
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => setOpened({ request, version, change })}>
        Edit
      </Button>
      {opened && <ChangeForm {...opened} feature={feature} onClose={() => setOpened(undefined)} />}
    </>
  );
}

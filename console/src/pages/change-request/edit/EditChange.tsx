import { Button } from "@mantine/core";
import { useState } from "react";
import type { Reply } from "../../../api/client";
import { useMe } from "../../../api/queries";
import { useAct } from "../../../parts/act";
import { arriving } from "../../../parts/arriving";
import { readRequest, type ChangeRequest } from "../../../parts/change-requests/requests";
import type { Shown } from "../shown";
import { isEditable } from "../offers";
import type { Change } from "../sentences";
import { hasForm, type Editable, type Edited } from "./editing";

const ChangeForm = arriving<Edited>(() => import("./ChangeForm"), { waiting: null, isBeside: true });

interface Props extends Pick<Shown, "request"> {
  feature: string;
  change: Change;
}

/** Edits one change of an own change request, in the form that makes it where it takes effect at once. */
export function EditChange({ request, feature, change }: Props) {
  const me = useMe();
  const { withOwnChanges, busy } = useAct();
  // What was shown when it was opened: it is saved over nothing newer.
  const [opened, setOpened] = useState<Shown & { change: Editable }>();
  if (!isEditable(request, me?.user.id) || change.conflict !== undefined || !hasForm(change)) return null;
  function open({ data, version }: Reply<ChangeRequest>) {
    const found = [...data.features.flatMap(({ changes }) => changes), ...data.segments].find(
      ({ id }) => id === change.id,
    );
    if (found && hasForm(found)) setOpened({ request: data, version, change: found });
  }

  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        loading={busy}
        onClick={() => void withOwnChanges(readRequest(request), open)}
      >
        Edit
      </Button>
      {opened && <ChangeForm {...opened} feature={feature} onClose={() => setOpened(undefined)} />}
    </>
  );
}

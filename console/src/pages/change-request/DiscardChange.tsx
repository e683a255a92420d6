import type { Reply } from "../../api/client";
import { useMe } from "../../api/queries";
import { onlyFor } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { discardingChange, readRequest, sizeOf, type ChangeRequest } from "../../parts/change-requests/requests";
import { confirm, unasked } from "../../parts/confirm";
import type { Shown } from "./shown";
import { isEditable } from "./offers";
import type { Change } from "./sentences";

/** Takes one change out again: of what others have seen already, after saying that their approvals go with it. */
export function DiscardChange({ request, change }: Pick<Shown, "request"> & { change: Change }) {
  const me = useMe();
  const { act, withOwnChanges, busy } = useAct();
  if (!isEditable(request, me?.user.id)) return null;
  const discarding = discardingChange(request, change.id);

  async function discard({ data, version }: Reply<ChangeRequest>) {
    const planned = onlyFor(discarding, version);
    const approvals = data.approvals.length;
    const meant = approvals
      ? await confirm({
          title: "Discard a change",
          action: "Discard it",
          requests: [planned],
          consequence:
            "The change request is changed by it: approvals that it has are dropped, and it is reviewed anew.",
        })
      : unasked;
    if (meant) await act({ request: planned, done: "The change is discarded." });
  }

  return (
    <ActionButton
      request={discarding}
      variant="default"
      size="compact-sm"
      loading={busy}
      because={sizeOf(request) < 2 ? "It is the only change: discard or cancel all of it." : undefined}
      onClick={() => void withOwnChanges(readRequest(request), discard)}
    >
      Discard
    </ActionButton>
  );
}

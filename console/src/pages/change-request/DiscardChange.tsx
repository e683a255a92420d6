import { useMe } from "../../api/queries";
import { onlyFor } from "../../api/request";
import { ActionButton } from "../../parts/ActionButton";
import { useAct } from "../../parts/act";
import { discardingChange, sizeOf } from "../../parts/change-requests/requests";
import { confirm, unasked } from "../../parts/confirm";
import type { Shown } from "./ChangeRequestPage";
import { isEditable } from "./offers";
import type { Change } from "./sentences";

/** Takes one change out again: of what others have seen already, after saying that their approvals go with it. */
export function DiscardChange({ request, version, change }: Shown & { change: Change }) {
  const me = useMe();
  const { act, busy } = useAct();
  if (!isEditable(request, me?.user.id)) return null;
  const planned = onlyFor(discardingChange(request, change.id), version);

  async function discard() {
    const approvals = request.approvals.length;
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
      request={planned}
      variant="default"
      size="compact-sm"
      loading={busy}
      because={sizeOf(request) < 2 ? "It is the only change: discard or cancel all of it." : undefined}
      onClick={() => void discard()}
    >
      Discard
    </ActionButton>
  );
}

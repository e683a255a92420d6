import type { ReactNode } from "react";
import type { Place } from "../../api/permissions";
import type { Planned } from "../../api/request";
import { ActionButton } from "../ActionButton";
import { useAct } from "../act";
import { confirm } from "../confirm";

interface Props {
  /** What is deleted, as a person calls it. */
  what: string;
  name: string;
  request: Planned;
  place?: Place;
  consequence: ReactNode;
  because?: string;
  /** Of a row, rather than of a form. */
  compact?: boolean;
  onRemoved?: () => void;
}

/** Deletes for ever, once the name was typed. */
export function RemoveButton({ what, name, request, place, consequence, because, compact, onRemoved }: Props) {
  const { act, busy } = useAct();

  async function remove() {
    const isSure = await confirm({
      title: `Delete the ${what} ${name}`,
      action: `Delete ${name}`,
      danger: true,
      typed: name.trim(),
      requests: [request],
      consequence,
    });
    if (!isSure) return;
    const done = await act({ request, done: `The ${what} ${name} is deleted.`, onDrafted: onRemoved });
    if (done) onRemoved?.();
  }

  return (
    <ActionButton
      request={request}
      place={place}
      because={because}
      color="red"
      variant="outline"
      size={compact ? "compact-xs" : "compact-sm"}
      loading={busy}
      onClick={() => void remove()}
    >
      Delete …{compact && <span className="visually-hidden"> {name}</span>}
    </ActionButton>
  );
}

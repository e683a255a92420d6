import type { ReactNode } from "react";
import type { Place } from "../../api/permissions";
import { onlyFor, type Planned } from "../../api/request";
import { ActionButton } from "../ActionButton";
import { useAct } from "../act";
import { confirm } from "../confirm";

interface Props {
  /** What is deleted, as a person calls it. */
  what: string;
  name: string;
  request: Planned;
  /** What shows it, where only the version that was seen may be deleted. */
  seen?: Planned;
  place?: Place;
  consequence: ReactNode;
  because?: string;
  /** Of a row, rather than of a form. */
  compact?: boolean;
  onRemoved?: () => void;
}

/** Deletes for ever, once the name was typed. */
export function RemoveButton({ what, name, request, seen, place, consequence, because, compact, onRemoved }: Props) {
  const { act, withOwnChanges, busy } = useAct();

  async function remove(planned: Planned) {
    const isSure = await confirm({
      title: `Delete the ${what} ${name}`,
      action: `Delete ${name}`,
      danger: true,
      typed: name.trim(),
      requests: [planned],
      consequence,
    });
    if (!isSure) return;
    const done = await act({ request: planned, done: `The ${what} ${name} is deleted.`, onDrafted: onRemoved });
    if (done) onRemoved?.();
  }

  const start = () =>
    seen ? withOwnChanges(seen, ({ version }) => remove(onlyFor(request, version))) : remove(request);

  return (
    <ActionButton
      request={request}
      place={place}
      because={because}
      color="red"
      variant="outline"
      size={compact ? "compact-xs" : "compact-sm"}
      loading={busy}
      onClick={() => void start()}
    >
      Delete …{compact && <span className="visually-hidden"> {name}</span>}
    </ActionButton>
  );
}

import type { ReactNode } from "react";
import type { Planned } from "../../api/request";
import { ActionButton } from "../ActionButton";
import { useAct } from "../act";
import { confirm } from "../confirm";

interface Props {
  /** What the question is. */
  title: string;
  request: Planned;
  consequence: ReactNode;
  /** What happened, which the answer may tell. */
  done: string | ((answer: unknown) => string);
  because?: string;
  /** Of a row, rather than of a list. */
  compact?: boolean;
  onEnded?: () => void;
  children: ReactNode;
}

/** Signs somebody out, once it was confirmed. */
export function EndSession({ title, request, consequence, done, because, compact, onEnded, children }: Props) {
  const { act, busy } = useAct();

  async function end() {
    const isSure = await confirm({ title, action: "Sign out", danger: true, requests: [request], consequence });
    if (!isSure) return;
    if (await act({ request, done })) onEnded?.();
  }

  return (
    <ActionButton
      request={request}
      because={because}
      color="red"
      variant="outline"
      size={compact ? "compact-xs" : "compact-sm"}
      loading={busy}
      onClick={() => void end()}
    >
      {children}
    </ActionButton>
  );
}

/** How many browsers were signed out, in a sentence. */
export const signedOut = (answer: unknown) => {
  const { ended } = answer as { ended: number };
  return ended === 0
    ? "No other browser was signed in."
    : `${ended} ${ended === 1 ? "browser is" : "browsers are"} signed out.`;
};

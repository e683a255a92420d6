import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState, useSyncExternalStore, type ReactNode } from "react";
import { because } from "../api/reason";
import { useDrafted } from "../api/queries";
import { proposalOf } from "../api/proposals";
import type { Planned } from "../api/request";
import { addToDraft } from "../words/drafts";
import { DraftNote } from "./change-requests/DraftNote";
import { ExpectedImpact } from "./impact/ExpectedImpact";
import { ReasonInput } from "./ReasonInput";
import { RequestPreview } from "./requests/RequestPreview";

interface Question {
  title: string;
  /** What will be so afterwards. */
  consequence: ReactNode;
  /** What the button does. */
  action: string;
  requests: Planned[];
  danger?: boolean;
  /** Puts the focus on the action: where haste is more likely than a slip. */
  urgent?: boolean;
  /** What must be typed first, where nothing takes it back. */
  typed?: string;
  /** Asks why, too. */
  reasoned?: boolean;
  /** What the button that does nothing says. */
  keep?: string;
}

/** A change is meant; it is sent with the reason that was given. */
export interface Meant {
  because: <A>(planned: Planned<A>) => Planned<A>;
}

/** What needs no question is meant as it is. */
export const unasked: Meant = { because: (planned) => planned };

interface Asked extends Question {
  answer: (meant: Meant | undefined) => void;
}

let asked: Asked | undefined;
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

/** Asks the person before something with consequences is done. */
export function confirm(question: Question): Promise<Meant | undefined> {
  return new Promise((resolve) => {
    asked?.answer(undefined);
    asked = {
      ...question,
      answer: (meant) => {
        asked = undefined;
        tell();
        resolve(meant);
      },
    };
    tell();
  });
}

export function ConfirmDialog() {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked,
  );
  if (!current) return null;
  return <Dialog key={current.title} {...current} />;
}

function Dialog(question: Asked) {
  const { title, consequence, action, requests, danger, urgent, typed, reasoned, keep = "Cancel", answer } = question;
  const [text, setText] = useState("");
  const [reason, setReason] = useState("");
  const giving = <A,>(planned: Planned<A>) => because(planned, reason);
  const isReady = typed === undefined || text.trim() === typed;
  const project = requests.map((one) => proposalOf(one)?.project).find(Boolean);
  const drafted = requests.map(useDrafted(project));
  const environment = drafted.find(Boolean);
  // Of several calls, some may take effect at once: those keep their reason.
  const isAllDrafted = environment !== undefined && drafted.every(Boolean);
  return (
    <Modal opened onClose={() => answer(undefined)} title={title} size="lg" zIndex={400}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) answer({ because: giving });
        }}
      >
        <Stack gap="md">
          <Text component="div" size="sm" className="breaks">
            {consequence}
          </Text>
          {!isAllDrafted && <ExpectedImpact requests={requests} />}
          {typed !== undefined && (
            <TextInput
              data-autofocus
              label={`Type ${typed} to go on. Nothing takes this back.`}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              autoComplete="off"
            />
          )}
          {project && environment && <DraftNote project={project} environment={environment} />}
          {reasoned && !isAllDrafted && <ReasonInput reason={reason} onChange={setReason} />}
          {requests.length > 0 && <RequestPreview requests={requests.map(giving)} />}
          <Group justify="flex-end" gap="sm" className="actions">
            <Button
              variant="default"
              onClick={() => answer(undefined)}
              data-autofocus={!urgent && typed === undefined ? true : undefined}
            >
              {keep}
            </Button>
            <Button
              type="submit"
              color={danger && !isAllDrafted ? "red" : undefined}
              disabled={!isReady}
              data-autofocus={urgent ? true : undefined}
            >
              {isAllDrafted ? addToDraft : action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

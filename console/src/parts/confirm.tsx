import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState, useSyncExternalStore, type ReactNode } from "react";
import type { Planned } from "../api/request";
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
}

interface Asked extends Question {
  answer: (yes: boolean) => void;
}

let asked: Asked | undefined;
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

/** Asks the person before something with consequences is done. */
export function confirm(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    asked?.answer(false);
    asked = {
      ...question,
      answer: (yes) => {
        asked = undefined;
        tell();
        resolve(yes);
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

function Dialog({ title, consequence, action, requests, danger, urgent, typed, answer }: Asked) {
  const [text, setText] = useState("");
  const isReady = typed === undefined || text.trim() === typed;
  return (
    <Modal opened onClose={() => answer(false)} title={title} size="lg" zIndex={400}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) answer(true);
        }}
      >
        <Stack gap="md">
          <Text component="div" size="sm" className="breaks">
            {consequence}
          </Text>
          {typed !== undefined && (
            <TextInput
              data-autofocus
              label={`Type ${typed} to go on. Nothing takes this back.`}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              autoComplete="off"
            />
          )}
          {requests.length > 0 && <RequestPreview requests={requests} />}
          <Group justify="flex-end" gap="sm" className="actions">
            <Button
              variant="default"
              onClick={() => answer(false)}
              data-autofocus={!urgent && typed === undefined ? true : undefined}
            >
              Cancel
            </Button>
            <Button
              type="submit"
              color={danger ? "red" : undefined}
              disabled={!isReady}
              data-autofocus={urgent ? true : undefined}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

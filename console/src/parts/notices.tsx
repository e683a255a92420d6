import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { Refusal } from "../api/refusal";
import { needed } from "../api/permissions";
import { WithMoments } from "./Moment";

const seconds = 1000;
const dismiss = { "aria-label": "Dismiss" };

/** What a failure says, with what is missing named and the id that the log knows it by. */
export function inWords(error: unknown): string[] {
  if (!(error instanceof Refusal)) return [error instanceof Error ? error.message : String(error)];
  const { permissions, id } = error.body;
  const wait = error.retryAfter ? [`Try again in ${error.retryAfter} s.`] : [];
  // The title says the rest.
  if (error.status === 429 && wait.length) return wait;
  // Nobody is asked for the permission to skip approvals: what to do instead stands there.
  const isPermission = error.status === 403 && permissions?.length && !permissions.includes("SKIP_CHANGE_REQUEST");
  const lines = isPermission ? [needed(permissions, {})] : error.lines;
  return [...lines, ...wait, ...(error.status >= 500 && id ? [`Error id ${id}`] : [])];
}

/** What takes a change back, or leads to what became of it. */
export interface Undo {
  /** What it does, where "Undo" does not say enough: in production. */
  label?: string;
  run: () => void;
}

/** Tells what was done; another notice with the same name is replaced. */
export function tellDone(message: string, undo?: Undo, name?: string) {
  if (name) notifications.hide(name);
  const id = notifications.show({
    id: name,
    message: (
      <Group justify="space-between" gap="xs">
        <Text size="sm" className="breaks" miw={0} flex="1 1 180px">
          <WithMoments text={message} />
        </Text>
        {undo && (
          <Button
            size="compact-sm"
            variant="default"
            flex="none"
            onClick={() => {
              notifications.hide(id);
              undo.run();
            }}
          >
            {undo.label ?? "Undo"}
          </Button>
        )}
      </Group>
    ),
    closeButtonProps: dismiss,
    autoClose: undo ? 10 * seconds : 4 * seconds,
  });
}

export function tellFailure(error: unknown) {
  notifications.show({
    color: "red",
    title: "That did not work",
    message: <WithMoments text={inWords(error).join(" ")} />,
    closeButtonProps: dismiss,
    autoClose: 15 * seconds,
  });
}

import { Button, Drawer, Group, Stack } from "@mantine/core";
import { createContext, useContext, useEffect, useId, useRef, type ReactNode, type RefObject } from "react";
import type { Place } from "../../api/permissions";
import type { Planned } from "../../api/request";
import { ActionButton } from "../ActionButton";
import { firstField } from "./firstField";
import { leave } from "./leave";
import { RestOfRefusal, WithRefusal } from "./AtField";
import { RequestPreview } from "../requests/RequestPreview";

interface Props {
  title: ReactNode;
  onClose: () => void;
  size?: string;
  children: ReactNode;
}

/** The forms of a drawer that hold something which is not saved. */
const Unsaved = createContext<RefObject<Set<string>> | undefined>(undefined);

/** Where something is created or changed, beside the list that it is in. What was typed is not thrown away by a slip. */
export function FormDrawer({ title, onClose, size = "md", children }: Props) {
  const unsaved = useRef(new Set<string>());
  return (
    <Unsaved value={unsaved}>
      <Drawer opened onClose={() => void leave(unsaved.current.size > 0, onClose)} title={title} size={size}>
        {children}
      </Drawer>
    </Unsaved>
  );
}

interface FormProps {
  /** What sending it does. */
  request: Planned;
  place?: Place;
  /** As it travels, where that is more than the request. */
  shown?: Planned;
  action: string;
  busy: boolean;
  error: unknown;
  because?: string;
  onSubmit: () => void;
  onCancel?: () => void;
  /** Whether something was typed that closing would lose. */
  isChanged?: boolean;
  children: ReactNode;
}

/** A form that shows its request and why it cannot be sent. */
export function Form(props: FormProps) {
  const {
    request,
    place,
    shown,
    action,
    busy,
    error,
    because,
    onSubmit,
    onCancel,
    isChanged = false,
    children,
  } = props;
  const form = useId();
  const unsavedRef = useContext(Unsaved);
  useEffect(() => {
    const unsaved = unsavedRef?.current;
    if (!unsaved || !isChanged) return;
    unsaved.add(form);
    return () => {
      unsaved.delete(form);
    };
  }, [unsavedRef, isChanged, form]);
  return (
    <form
      ref={firstField}
      onSubmit={(event) => {
        event.preventDefault();
        if (!because) onSubmit();
      }}
    >
      <WithRefusal error={error}>
        <Stack gap="md">
          {children}
          <RestOfRefusal />
          <RequestPreview requests={[shown ?? request]} />
          <Group justify="flex-end" gap="sm" className="actions">
            {onCancel && (
              <Button variant="default" onClick={onCancel}>
                Cancel
              </Button>
            )}
            <ActionButton type="submit" request={request} place={place} loading={busy} because={because}>
              {action}
            </ActionButton>
          </Group>
        </Stack>
      </WithRefusal>
    </form>
  );
}

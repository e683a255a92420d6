import { Button, Drawer, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import type { Place } from "../../api/permissions";
import type { Planned } from "../../api/request";
import { ActionButton } from "../ActionButton";
import { Problem } from "../Problem";
import { RequestPreview } from "../requests/RequestPreview";

interface Props {
  title: string;
  onClose: () => void;
  size?: string;
  children: ReactNode;
}

/** Where something is made or changed, beside the list that it is in. */
export function FormDrawer({ title, onClose, size = "md", children }: Props) {
  return (
    <Drawer opened onClose={onClose} title={title} size={size}>
      {children}
    </Drawer>
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
  children: ReactNode;
}

/** A form that shows its request and why it cannot be sent. */
export function Form({ request, place, shown, action, busy, error, because, onSubmit, onCancel, children }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!because) onSubmit();
      }}
    >
      <Stack gap="md">
        {children}
        <Problem error={error} />
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
    </form>
  );
}

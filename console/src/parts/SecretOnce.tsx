import { Button, Code, CopyButton, Group, Modal, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  title: string;
  /** Held by the caller's memory only, and gone with this dialog. */
  secret: string;
  /** What it is for, and who may have it. */
  children: ReactNode;
  onClose: () => void;
}

/** Shows a secret the one time that it is known. Neither a click beside it nor Escape closes it. */
export function SecretOnce({ title, secret, children, onClose }: Props) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      zIndex={410}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text component="div" size="sm">
          {children}
        </Text>
        <Code block className="breaks" tabIndex={0} role="region" aria-label="The secret">
          {secret}
        </Code>
        <Text size="sm">It is shown this once: nobody can look it up later.</Text>
        <Group justify="flex-end" gap="sm">
          <CopyValue value={secret} />
          <Button variant="default" onClick={onClose}>
            I have kept it
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Puts a text into the clipboard. */
export function CopyValue({ value, what = "" }: { value: string; what?: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button size={what ? "compact-xs" : "sm"} variant={what ? "default" : "filled"} onClick={copy}>
          {copied ? "Copied" : "Copy"}
          {what && <span className="visually-hidden"> {what}</span>}
        </Button>
      )}
    </CopyButton>
  );
}

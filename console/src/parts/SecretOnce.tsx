import { Button, Code, CopyButton, Group, Modal, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { saveAs } from "./csv";

interface Props {
  title: string;
  /** Held by the caller's memory only, and gone with this dialog. */
  secret: string;
  /** What it is for, and who may have it. */
  children: ReactNode;
  /** Name of a text file that it can be kept in, without its ending. */
  file?: string;
  /** Whether there is one on each line. */
  isMany?: boolean;
  onClose: () => void;
}

/** Shows a secret the one time that it is known. Neither a click beside it nor Escape closes it. */
export function SecretOnce({ title, secret, children, file, isMany = false, onClose }: Props) {
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
        <Code block className="breaks" tabIndex={0} role="region" aria-label={isMany ? "The secrets" : "The secret"}>
          {secret}
        </Code>
        <Text size="sm">
          {isMany
            ? "They are shown this once: nobody can look them up later."
            : "It is shown this once: nobody can look it up later."}
        </Text>
        <Group justify="flex-end" gap="sm">
          <CopyValue value={secret} />
          {file && (
            <Button variant="default" onClick={() => saveAs(`${file}.txt`, "text/plain", `${secret}\n`)}>
              Save as a file
            </Button>
          )}
          <Button variant="default" onClick={onClose}>
            {isMany ? "I have kept them" : "I have kept it"}
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

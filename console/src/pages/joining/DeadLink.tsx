import { Alert, Text } from "@mantine/core";
import { IconLinkOff } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** A link that lets nobody in, and what its reader can do instead. */
export function DeadLink({ isWhole, children }: { isWhole: boolean; children: ReactNode }) {
  return (
    <Alert
      role="alert"
      color="red"
      variant="outline"
      className="problem"
      icon={<IconLinkOff size={18} aria-hidden />}
      title={isWhole ? "This link does not work any more" : "A part of this link is missing"}
    >
      <Text size="sm">{isWhole ? children : "Open it as a whole, as it was given to you, up to its last letter."}</Text>
      <Text size="sm" mt="sm">
        <Link to="/sign-in">Sign in</Link> if you have been here before.
      </Text>
    </Alert>
  );
}

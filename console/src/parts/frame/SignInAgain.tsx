import { Modal, Text } from "@mantine/core";
import { SignInForm } from "../SignInForm";
import { useRefresh } from "../../api/queries";

/** The session ended while a page was open: signs in on top of it, so that what was typed stays. */
export function SignInAgain({ onDone }: { onDone: () => void }) {
  const refresh = useRefresh();
  return (
    <Modal opened onClose={onDone} title="You were signed out" zIndex={450}>
      <Text size="sm" mb="md">
        Your session ended. Sign in again: the page below is as you left it.
      </Text>
      <SignInForm
        newTab
        onSignedIn={() => {
          onDone();
          void refresh();
        }}
      />
    </Modal>
  );
}

import { Text } from "@mantine/core";
import { ChangeDrawer } from "../../parts/forms/ChangeDrawer";
import { Expiry } from "../../parts/forms/Expiry";
import { planExpiry, type Token } from "./tokens";

/** Gives a token another end: the one thing about it that changes. */
export function ChangeExpiry({ token, onClose }: { token: Token; onClose: () => void }) {
  return (
    <ChangeDrawer
      title={`Expiry of ${token.tokenName}`}
      stored={{ expiresAt: token.expiresAt }}
      plan={({ expiresAt }) => planExpiry(token, expiresAt)}
      done={({ expiresAt }) => `${token.tokenName} ${expiresAt ? "ends at another moment" : "has no end"} now.`}
      onClose={onClose}
    >
      {({ expiresAt }, change) => (
        <>
          <Text size="sm">Requests with it are refused after that time. The secret stays the same.</Text>
          <Expiry
            label="Expires"
            days={[1, 7, 30, 90, 365]}
            orNever
            value={expiresAt}
            onChange={(value) => change({ expiresAt: value })}
          />
        </>
      )}
    </ChangeDrawer>
  );
}

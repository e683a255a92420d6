import { Text, Title } from "@mantine/core";
import { useInstance, useRead } from "../../api/queries";
import classes from "../../parts/area/Area.module.css";
import type { Protocol } from "./fields";
import { Needs } from "./Needs";
import { readPolicy } from "./policy";

/** What to write into the forms of the provider. */
export function ProviderNeeds({ protocol }: { protocol: Protocol }) {
  const base = useInstance()?.unleashUrl.replace(/\/$/, "");
  const policy = useRead(readPolicy).data;
  if (base === undefined) return null;
  const needs: [label: string, value: string][] =
    protocol === "oidc"
      ? [
          ["Redirect address", `${base}/auth/oidc/callback`],
          ["Where people begin", `${base}/auth/oidc/login`],
          ["After signing out", `${base}/`],
          ["Back-channel logout", `${base}/auth/oidc/backchannel-logout`],
          ["Front-channel logout", `${base}/auth/oidc/frontchannel-logout`],
        ]
      : [
          ["Entity id", policy?.samlEntityId ?? base],
          ["Assertion consumer service (POST)", `${base}/auth/saml/callback`],
          ["Single logout (GET and POST)", `${base}/auth/saml/logout/done`],
          ["Where people begin", `${base}/auth/saml/login`],
          ["Our metadata", `${base}/auth/saml/metadata`],
        ];
  return (
    <section className={`card ${classes.narrow}`} aria-label="What the provider needs">
      <Title order={2} mb="sm">
        What the provider needs
      </Title>
      <Needs needs={needs} />
      {protocol === "saml" && (
        <Text size="sm" mt="sm">
          Switch the encryption of assertions off at the provider: an encrypted assertion is refused, and the sign-in
          log has “encrypted” as the reason. Nothing here has a key to decrypt it with; it travels over https, and only
          its signature counts.
        </Text>
      )}
    </section>
  );
}

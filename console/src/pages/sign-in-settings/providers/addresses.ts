import type { Schemas } from "../../../api/request";
import type { Kind } from "./kinds";

type Addresses = Schemas["SignInProviderAddresses"];

/** The addresses that a provider will have, for whoever registers them there before it is created. */
export function addressesOf(base: string, id: string, kind: Kind, spEntityId: string): Addresses {
  const own = `${base.replace(/\/$/, "")}/auth/providers/${id}`;
  if (kind !== "saml")
    return {
      loginUrl: `${own}/login`,
      redirectUrl: `${own}/callback`,
      // GitHub tells nobody that somebody signed out.
      ...(kind !== "github" && { backChannelLogoutUrl: `${own}/backchannel-logout` }),
    };
  const metadataUrl = `${own}/metadata`;
  return {
    loginUrl: `${own}/login`,
    redirectUrl: `${own}/acs`,
    metadataUrl,
    singleLogoutUrl: `${own}/logout/done`,
    entityId: spEntityId.trim() || metadataUrl,
  };
}

/** What to write into the forms of the provider, as its forms call it. */
export function needsOf(addresses: Addresses): [label: string, value: string][] {
  const { loginUrl, redirectUrl, metadataUrl, backChannelLogoutUrl, singleLogoutUrl, entityId } = addresses;
  const ofSome: [string, string | undefined][] = [
    ["Back-channel logout", backChannelLogoutUrl],
    ["Single logout (GET and POST)", singleLogoutUrl],
    ["Entity id", entityId],
    ["Our metadata", metadataUrl],
  ];
  return [
    [metadataUrl ? "Assertion consumer service (POST)" : "Redirect address", redirectUrl],
    ["Where people begin", loginUrl],
    ...ofSome.filter((need): need is [string, string] => need[1] !== undefined),
  ];
}

import { request, type Schemas } from "../api/request";
import { signInMethods } from "./signInMethods";

export type AccessRequest = Schemas["UserAccessRequest"];

/** People without an account who signed in through a login provider and wait for an administrator. */
export const readAccessRequests = request("get", "/api/admin/user-access-requests");

type Provider = Pick<Schemas["SignInProvider"], "id" | "label">;

/** Name of the login provider of a request: its label, or the protocol of one of the two settings. */
export function providerOf(
  { provider, providerId }: Pick<AccessRequest, "provider" | "providerId">,
  providers: readonly Provider[],
): string {
  if (providerId === undefined) return signInMethods[provider];
  return providers.find(({ id }) => id === providerId)?.label ?? providerId;
}

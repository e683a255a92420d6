import type { Schemas } from "../api/request";

type Identity = Pick<Schemas["UserIdentity"], "providerId" | "issuer">;

/** Name of the login provider of an identity: the text of its button, or, where that is not shown, the issuer. */
export function providerOf({ providerId, issuer }: Identity, options: readonly Schemas["SignInOption"][]): string {
  const option = providerId === undefined ? undefined : options.find(({ id }) => id === providerId);
  return option?.message ?? issuer;
}

/** Login providers of which a user links an identity: those of the two settings are linked by signing in. */
export const linkable = (options: readonly Schemas["SignInOption"][]) =>
  options.flatMap(({ id, message }) => (id === undefined ? [] : [{ id, message }]));

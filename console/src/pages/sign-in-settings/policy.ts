import { send } from "../../api/client";
import { onlyFor, request, type Schemas } from "../../api/request";
import { policyClaims } from "./claims";

export type SignInPolicy = Schemas["SignInPolicy"];

export const readPolicy = request("get", "/api/admin/auth/policy");

const texts = ["samlEntityId", ...policyClaims.map(({ name }) => name)] as const;

export const planPolicy = (policy: SignInPolicy) =>
  request("put", "/api/admin/auth/policy", {
    body: { ...policy, ...Object.fromEntries(texts.map((name) => [name, policy[name]?.trim() || undefined])) },
  });

/** Changes parts of the policy as it is stored by now, and of no other, and takes that back. */
export async function planParts(parts: Partial<SignInPolicy>) {
  const { data: stored, version } = await send(readPolicy);
  return { change: onlyFor(planPolicy({ ...stored, ...parts }), version), undo: planPolicy(stored) };
}

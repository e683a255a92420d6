import { send } from "../../api/client";
import { request, type Schemas } from "../../api/request";

export type SignInPolicy = Schemas["SignInPolicy"];

export const readPolicy = request("get", "/api/admin/auth/policy");

export const planPolicy = (policy: SignInPolicy) =>
  request("put", "/api/admin/auth/policy", {
    body: { ...policy, samlEntityId: policy.samlEntityId?.trim() || undefined },
  });

/** Changes parts of the policy as it is stored by now, and takes that back. */
export async function planParts(parts: Partial<SignInPolicy>) {
  const { data: stored } = await send(readPolicy);
  return { change: planPolicy({ ...stored, ...parts }), undo: planPolicy(stored) };
}

import { Refusal } from "../../api/refusal";
import { request, type Planned, type Schemas } from "../../api/request";

/** What proves a second factor: a code, or the answer of a passkey. */
export type Proof = { code: string } | { passkey: Schemas["PasskeyAnswer"] };

/** Hides a code, which signs in for half a minute, a recovery code for as long as it is not used, and what a passkey says. */
const withProof = <A>(planned: Planned<A>): Planned<A> => ({ ...planned, secrets: ["code", "passkey"] });
/** Hides what a passkey says. */
const withCredential = <A>(planned: Planned<A>): Planned<A> => ({ ...planned, secrets: ["challengeId", "credential"] });

export const waysIn = request("get", "/auth/options");

export const readOwn = request("get", "/api/admin/user/second-factor");

export const readPasskeys = request("get", "/api/admin/user/passkeys");

export const planSignIn = (username: string, password: string, proof?: Proof) =>
  withProof(request("post", "/auth/simple/login", { body: { username, password, ...proof } }));

export const planChallenge = request("post", "/auth/passkey/challenge");

export const planPasskeySignIn = (answer: Schemas["PasskeyAnswer"]) =>
  withCredential(request("post", "/auth/passkey/login", { body: answer }));

export const planBegin = (password: string, proof?: Proof) =>
  withProof(request("post", "/api/admin/user/second-factor/totp", { body: { password, ...proof } }));

export const planConfirm = (code: string) =>
  withProof(request("post", "/api/admin/user/second-factor/totp/confirm", { body: { code } }));

export const planRenew = (proof: Proof) =>
  withProof(request("post", "/api/admin/user/second-factor/recovery-codes", { body: proof }));

export const planRemove = (password: string, proof?: Proof) =>
  withProof(request("post", "/api/admin/user/second-factor/remove", { body: { password, ...proof } }));

export const planRegistration = (password: string, proof?: Proof) =>
  withProof(request("post", "/api/admin/user/passkey-registrations", { body: { password, ...proof } }));

export const planRegister = (made: Schemas["PasskeyRegistration"]) =>
  withCredential(request("post", "/api/admin/user/passkeys", { body: made }));

export const planRename = (id: number, name: string) =>
  request("put", "/api/admin/user/passkeys/{id}", { params: { path: { id } }, body: { name } });

export const planRemovePasskey = (id: number, password: string, proof?: Proof) =>
  withProof(
    request("post", "/api/admin/user/passkeys/{id}/remove", {
      params: { path: { id } },
      body: { password, ...proof },
    }),
  );

export const readIdentities = request("get", "/api/admin/user/identities");

export const planLink = (
  providerId: string,
  redirect: string,
  password: string,
  proof?: Proof,
): Planned<Schemas["IdentityLink"]> =>
  withProof(
    request("post", "/api/admin/user/identities", {
      body: { providerId, redirect, password: password || undefined, ...proof },
    }),
  );

export const planUnlink = (identityId: string, password: string, proof?: Proof) =>
  withProof(
    request("post", "/api/admin/user/identities/{identityId}/remove", {
      params: { path: { identityId } },
      body: { password: password || undefined, ...proof },
    }),
  );

const saidOf = (name: string) => (error: unknown) =>
  error instanceof Refusal && error.name === name ? error.lines.join(" ") : undefined;

/** Asks for a second factor, after the right password. */
export const isAskingForProof = (error: unknown) => saidOf("SecondFactorRequiredError")(error) !== undefined;

/** Says that the code is wrong, for the field that holds it. */
export const wrongCode = saidOf("SecondFactorMismatchError");

/** Says that the password is wrong, for the field that holds it. */
export const wrongPassword = (error: unknown) => saidOf("PasswordMismatch")(error) && "This is not your password.";

/** The refusal, unless a field says it. */
export const notBeside = (error: unknown) => (wrongCode(error) || wrongPassword(error) ? undefined : error);

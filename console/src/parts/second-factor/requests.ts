import { Refusal } from "../../api/refusal";
import { request, type Planned } from "../../api/request";

/** Hides the code, which signs in for half a minute, and a recovery code for as long as it is not used. */
const withCode = <A>(planned: Planned<A>): Planned<A> => ({ ...planned, secrets: ["code"] });

export const readOwn = request("get", "/api/admin/user/second-factor");

export const planSignIn = (username: string, password: string, code?: string) =>
  withCode(request("post", "/auth/simple/login", { body: { username, password, code } }));

export const planBegin = (password: string) =>
  request("post", "/api/admin/user/second-factor/totp", { body: { password } });

export const planConfirm = (code: string) =>
  withCode(request("post", "/api/admin/user/second-factor/totp/confirm", { body: { code } }));

export const planRenew = (code: string) =>
  withCode(request("post", "/api/admin/user/second-factor/recovery-codes", { body: { code } }));

export const planRemove = (password: string, code: string) =>
  withCode(request("post", "/api/admin/user/second-factor/remove", { body: { password, code } }));

const saidOf = (name: string) => (error: unknown) =>
  error instanceof Refusal && error.name === name ? error.lines.join(" ") : undefined;

/** Asks for a code, after the right password. */
export const isAskingForCode = (error: unknown) => saidOf("SecondFactorRequiredError")(error) !== undefined;

/** Says that the code is wrong, for the field that holds it. */
export const wrongCode = saidOf("SecondFactorMismatchError");

/** Says that the password is wrong, for the field that holds it. */
export const wrongPassword = (error: unknown) => saidOf("PasswordMismatch")(error) && "This is not your password.";

/** The refusal, unless a field says it. */
export const notBeside = (error: unknown) => (wrongCode(error) || wrongPassword(error) ? undefined : error);

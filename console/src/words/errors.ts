import type { components } from "../api/generated/schema";
import { sentence } from "./rules";

type ApiError = Pick<components["schemas"]["ApiError"], "name" | "message" | "details" | "permissions">;

/** What kinds of refusals are called; the API's own name stands under "Details". */
const titles: Record<string, string> = {
  AccessRequestedError: "Your request for an account waits for an administrator",
  AuthenticationRequired: "You are not signed in",
  BadDataError: "This cannot be read",
  BulkReferenceError: "The bulk request refers to something that it does not create",
  ChangeRequestConflictError: "It cannot be applied as things are",
  ContentTypeerror: "The server cannot read this kind of file",
  ContextFieldInUseError: "The context field is in use",
  DisabledError: "This is switched off",
  DiskFullError: "The server has no room left",
  EnvironmentInUseError: "The environment is in use",
  EnvironmentFrozenError: "The environment is frozen",
  ExceedsLimitError: "A limit is reached",
  ForbiddenError: "This is not possible here",
  IdempotencyKeyError: "This was sent before with other values",
  IncompatibleProjectError: "The project cannot take the flag",
  InternalError: "The server failed",
  InvalidOperationError: "This is not possible as things are",
  InvalidTokenError: "The link or token is not valid",
  IdentityTakenError: "This identity belongs to another account",
  KeyInUseError: "The key is in use",
  LastAdministratorError: "Somebody must stay an administrator",
  LastWayInError: "This is your last way to sign in",
  LegalValueInUseError: "The value is in use",
  LoginProviderError: "The login provider did not answer as it should",
  LoginProviderOffError: "The login provider is switched off or gone",
  LogoutRefusedError: "Signing out was refused",
  MaintenanceError: "The server is in maintenance",
  MethodNotAllowedError: "This is not supported",
  NameExistsError: "This name is taken",
  NoAccessError: "You may not see or do this",
  NotAdmittedError: "You may not sign in here",
  NotCoveredError: "The token does not cover this",
  NotFoundError: "There is no such thing here",
  PasskeyExistsError: "This passkey is registered already",
  PasskeyMismatchError: "The passkey was not accepted",
  PasswordMismatch: "The user name or the password is wrong",
  PatternError: "The name does not have the form that is asked for",
  PayloadTooLargeError: "This is too large",
  PreconditionFailedError: "Somebody changed it meanwhile",
  ProjectWithoutOwnerError: "The project needs an owner",
  RateLimitError: "Too many attempts",
  RoleInUseError: "The role is in use",
  SecondFactorEnrolmentError: "A second factor is required of you",
  SecondFactorExistsError: "You have an authenticator app already",
  SecondFactorMismatchError: "The code is wrong",
  SecondFactorRequiredError: "A proof of the second factor is missing",
  SegmentInUseError: "The segment is in use",
  SignInRefusedError: "Signing in was refused",
  SignInStateError: "Signing in took too long, or was begun elsewhere",
  StrategyInUseError: "The strategy type is in use",
  TagTypeInUseError: "The tag type is in use",
  TooManyKeysError: "There are two keys already",
  UnavailableError: "The server is not ready",
  ValidationError: "Some of it cannot be saved as it is",
};

const unknown = "The server refused it";

export const titleOf = (name: string): string => titles[name] ?? unknown;

const needsApproval =
  "Changes here need approval, and no change request can hold this one: ask an administrator, or somebody who may skip change requests.";

/** What a refusal says, without the words that are meant for machines. */
export function linesOf({ message, details = [], permissions }: ApiError): string[] {
  // What a change request can hold becomes part of a draft instead.
  if (permissions?.includes("SKIP_CHANGE_REQUEST")) return [needsApproval];
  const said = details.length ? details.map((detail) => detail.message) : [message];
  return [...new Set(said.map(sentence))];
}

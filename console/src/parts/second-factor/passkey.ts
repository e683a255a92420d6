import type { Schemas } from "../../api/request";

/** The browser used or made no passkey. */
export class PasskeyUnused extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "PasskeyUnused";
  }
}

/** Whether this browser has passkeys on this page: on pages that are not secure it has none. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === "function" && "parseCreationOptionsFromJSON" in PublicKeyCredential;

/** Lets the person choose a passkey, and returns its answer to a challenge. */
export async function answerOf({
  challengeId,
  options,
}: Schemas["PasskeyChallenge"]): Promise<Schemas["PasskeyAnswer"]> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await dealing(navigator.credentials.get({ publicKey }));
  return { challengeId, credential: credential.toJSON() as Schemas["PasskeyAnswer"]["credential"] };
}

/** Lets the person make a passkey, and returns what registers it. */
export async function madeFor({
  challengeId,
  options,
}: Schemas["PasskeyRegistrationChallenge"]): Promise<Omit<Schemas["PasskeyRegistration"], "name">> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await dealing(navigator.credentials.create({ publicKey }));
  return { challengeId, credential: credential.toJSON() as Schemas["PasskeyRegistration"]["credential"] };
}

async function dealing(asked: Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await asked;
    if (credential instanceof PublicKeyCredential) return credential;
  } catch (cause) {
    throw new PasskeyUnused(inWords(cause), cause);
  }
  throw new PasskeyUnused("The browser gave no passkey.", undefined);
}

function inWords(cause: unknown): string {
  switch (cause instanceof DOMException ? cause.name : undefined) {
    case "NotAllowedError":
      return "It was cancelled, took too long, or there is no passkey for this server on this device.";
    case "InvalidStateError":
      return "This device has a passkey of yours already.";
    case "SecurityError":
      return "The address of this page is not the public URL of the server, for which passkeys are made.";
    default:
      return "The browser cannot use a passkey here.";
  }
}

import type { Field } from "../fields";
import { aboutClaims, longestClaim } from "../claims";
import type { SettingName } from "./kinds";

/** One setting of a connection, or one rule, as a form has it. */
export interface Setting extends Pick<Field, "label" | "about" | "maxLength"> {
  kind: Field["kind"] | "texts";
  /** Texts in a list, at most. */
  most?: number;
  /** A switch that counts as on where nothing is said. */
  isOnByDefault?: boolean;
}

const address = "https, and no name or password in it.";

/** All settings of connections. Which of them a kind has, its table says. */
export const settings: Record<SettingName, Setting> = {
  clientId: { kind: "text", label: "Client id", maxLength: 1000 },
  secret: {
    kind: "secret",
    label: "Client secret",
    about: "A stored one is shown as ********: left so, it is kept as long as no address changes.",
    maxLength: 10_000,
  },
  discoverUrl: {
    kind: "text",
    label: "Discovery URL",
    about: `Takes the place of the address that the kind has: ${address}`,
    maxLength: 2000,
  },
  serverUrl: { kind: "text", label: "Server URL", about: address, maxLength: 2000 },
  tenant: { kind: "text", label: "Tenant id", about: "The id of the tenant, and not its domain.", maxLength: 36 },
  graphUrl: {
    kind: "text",
    label: "Microsoft Graph URL",
    about: "Asked for the groups of people who are in too many for a token. Empty: https://graph.microsoft.com.",
    maxLength: 2000,
  },
  realm: { kind: "text", label: "Realm", maxLength: 255 },
  hostedDomains: {
    kind: "texts",
    label: "Google organizations (hd)",
    about: "A person must belong to one of these domains. Empty: everybody with a Google account.",
    maxLength: 255,
    most: 100,
  },
  scopes: {
    kind: "texts",
    label: "More scopes to ask for",
    about: "Beyond those that the kind needs.",
    maxLength: 200,
    most: 20,
  },
  acrValues: {
    kind: "text",
    label: "ACR values",
    about: "Separated by blanks; a sign-in must name one. Empty: the provider decides.",
    maxLength: 1000,
  },
  idTokenSigningAlgorithm: { kind: "algorithm", label: "ID token signing algorithm", about: "Others are refused." },
  enableSingleSignOut: { kind: "switch", label: "Signing out here also signs out at the provider" },
  requireVerifiedEmail: {
    kind: "switch",
    label: "The provider must say that the email is verified",
    about: "Without this, one that says nothing about it is believed, but links nobody by email.",
    isOnByDefault: true,
  },
  groupsPath: {
    kind: "text",
    label: "Groups claim",
    about: "Name of the property, or a path such as realm.groups. Empty: that of the kind, where it has one.",
    maxLength: 1000,
  },
  emailClaim: { kind: "text", label: "Claim with the email", about: aboutClaims.email, maxLength: longestClaim },
  nameClaim: { kind: "text", label: "Claim with the display name", about: aboutClaims.name, maxLength: longestClaim },
  entityId: { kind: "text", label: "Entity id of the provider", maxLength: 1000 },
  signOnUrl: { kind: "text", label: "Single sign-on URL", about: address, maxLength: 2000 },
  signOutUrl: {
    kind: "text",
    label: "Single logout URL",
    about: `${address} Empty: signing out here leaves its session alone, and what it asks for is not answered.`,
    maxLength: 2000,
  },
  certificate: {
    kind: "long",
    label: "Certificate",
    about: "PEM, several PEM while it changes its key, or the base64 of its metadata.",
    maxLength: 100_000,
  },
  spEntityId: {
    kind: "text",
    label: "Our entity id",
    about: "Empty: the address of our metadata.",
    maxLength: 1000,
  },
  spCertificate: {
    kind: "long-secret",
    label: "Service provider key",
    about: "Signs what this server sends: PEM of the private key, perhaps with its certificate after it.",
    maxLength: 100_000,
  },
  signRequests: { kind: "switch", label: "Requests are signed", about: "With the service provider key." },
  idpInitiated: {
    kind: "switch",
    label: "The provider may sign in people who did not ask for it here",
    about: "Whoever has an account there can then sign others in as themselves.",
  },
};

export type RuleName =
  | "autoCreate"
  | "requestAccess"
  | "emailDomains"
  | "defaultRootRoleId"
  | "linkByEmail"
  | "requiredGroups"
  | "syncGroups";

/** The rules that take one control; the roles by claim have a form of their own. */
export const rules: Record<RuleName, Setting> = {
  autoCreate: {
    kind: "switch",
    label: "People who were never here become users when they sign in",
    about: "Without this, only users come in to whom an identity is linked.",
  },
  requestAccess: {
    kind: "switch",
    label: "People without an account request access by signing in",
    about:
      "An administrator then decides, in People, Access requests. The provider must prove their email, and the other rules must admit them.",
  },
  defaultRootRoleId: { kind: "role", label: "Their role in the whole instance" },
  emailDomains: {
    kind: "texts",
    label: "Only with an email of these domains",
    about: "For who becomes a user or requests access, and for links by email. Empty: any.",
    maxLength: 255,
    most: 100,
  },
  linkByEmail: { kind: "switch", label: "An email links somebody new to the user who has it" },
  requiredGroups: {
    kind: "texts",
    label: "Only members of one of these groups",
    about: "As the provider names them. Judged at each sign-in, and between sign-ins. Empty: no group is needed.",
    maxLength: 255,
    most: 100,
  },
  syncGroups: {
    kind: "switch",
    label: "Signing in joins and leaves groups as the provider says",
    about:
      "Groups name the provider's groups that feed them, and not of which provider they are: only for one that may give every membership that is named so.",
  },
};

export const mostRootRoles = 50;
export { longestClaim };
export const longestClaimValue = 255;
export const longestLabel = 100;
export const longestId = 50;
export const idPattern = /^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/;
export const mostProviders = 50;

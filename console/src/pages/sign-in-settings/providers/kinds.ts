import type { Schemas } from "../../../api/request";
import { aboutClaims } from "../claims";

export type Provider = Schemas["SignInProvider"];
export type Kind = Schemas["SignInProviderKind"];
export type Icon = Schemas["SignInProviderIcon"];
export type SettingName = keyof Schemas["SignInProviderSettings"];

interface KindOfProvider {
  name: string;
  icon: Icon;
  /** Settings without which the server refuses it. */
  needs: readonly SettingName[];
  mayHave: readonly SettingName[];
  /** Whether it tells groups without a path to them. */
  tellsGroups: boolean;
  /** What whoever sets it up has to know. */
  about?: string;
  /** What a setting means here, where the general words are not enough. */
  meaning?: Partial<Record<SettingName, string>>;
}

const client = ["clientId", "secret"] as const;
const openId = [
  "scopes",
  "acrValues",
  "idTokenSigningAlgorithm",
  "enableSingleSignOut",
  "requireVerifiedEmail",
  "groupsPath",
  "emailClaim",
  "nameClaim",
] as const;
const empty = (address: string) => `Empty: ${address}. Otherwise the address of a server of your own: https.`;

/** Each kind of login provider with exactly the settings that it needs and may have. */
export const kinds: Record<Kind, KindOfProvider> = {
  oidc: {
    name: "OpenID Connect",
    icon: "key",
    needs: [...client, "discoverUrl"],
    mayHave: openId,
    tellsGroups: false,
    meaning: { discoverUrl: "Its issuer, or the address of its discovery document: https." },
  },
  saml: {
    name: "SAML 2.0",
    icon: "key",
    needs: ["entityId", "signOnUrl", "certificate"],
    mayHave: [
      "signOutUrl",
      "spEntityId",
      "spCertificate",
      "signRequests",
      "idpInitiated",
      "groupsPath",
      "emailClaim",
      "nameClaim",
    ],
    tellsGroups: false,
    about: "Switch the encryption of assertions off at the provider: an encrypted one is refused.",
    meaning: { emailClaim: aboutClaims.samlEmail, nameClaim: aboutClaims.samlName },
  },
  google: {
    name: "Google",
    icon: "google",
    needs: client,
    mayHave: [...openId, "discoverUrl", "hostedDomains"],
    tellsGroups: false,
    about: "Google tells no groups.",
  },
  entra: {
    name: "Microsoft Entra",
    icon: "microsoft",
    needs: [...client, "tenant"],
    mayHave: [...openId, "discoverUrl", "graphUrl"],
    tellsGroups: true,
    about:
      "Add the optional claims email and xms_edov to the ID token: without the latter no email counts as verified. Groups are ids.",
  },
  github: {
    name: "GitHub",
    icon: "github",
    needs: client,
    mayHave: ["serverUrl", "scopes"],
    tellsGroups: true,
    about:
      "Register an OAuth app. Groups are organizations and organization/team; an organization that restricts OAuth apps must approve it.",
    meaning: { serverUrl: empty("https://github.com") },
  },
  gitlab: {
    name: "GitLab",
    icon: "gitlab",
    needs: client,
    mayHave: [...openId, "discoverUrl", "serverUrl"],
    tellsGroups: true,
    about: "Groups are full paths.",
    meaning: { serverUrl: empty("https://gitlab.com") },
  },
  okta: {
    name: "Okta",
    icon: "okta",
    needs: [...client, "serverUrl"],
    mayHave: [...openId, "discoverUrl"],
    tellsGroups: true,
    about: "Groups need a groups claim.",
    meaning: { serverUrl: "The issuer, also of a custom authorization server: https." },
  },
  keycloak: {
    name: "Keycloak",
    icon: "keycloak",
    needs: [...client, "serverUrl", "realm"],
    mayHave: [...openId, "discoverUrl"],
    tellsGroups: true,
    about: "Groups need the mapper Group membership with the claim groups.",
    meaning: { serverUrl: "Without the realm: https." },
  },
};

export const kindNames = Object.keys(kinds) as Kind[];

/** What the icons of buttons are called. */
export const iconNames: Record<Icon, string> = {
  key: "Key",
  shield: "Shield",
  building: "Building",
  people: "People",
  google: "Google",
  microsoft: "Microsoft",
  github: "GitHub",
  gitlab: "GitLab",
  okta: "Okta",
  keycloak: "Keycloak",
};

export const settingsOf = (kind: Kind): readonly SettingName[] => [...kinds[kind].needs, ...kinds[kind].mayHave];

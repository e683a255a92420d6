import { request, type Planned, type Schemas } from "../../api/request";

export type Protocol = "oidc" | "saml";
export type Values = { enabled: boolean } & Record<string, string | boolean>;

export interface Field {
  name: string;
  label: string;
  about?: string;
  kind: "text" | "secret" | "long" | "long-secret" | "switch" | "algorithm" | "role";
  /** Cannot be left out while the provider is in use. */
  needed?: boolean;
  /** Counts only while this switch is on. */
  under?: string;
  maxLength?: number;
}

const shared: Field[] = [
  {
    name: "autoCreate",
    kind: "switch",
    label: "People who were never here become users when they sign in",
    about: "Without this, only those come in whose email a user already has.",
  },
  {
    name: "emailDomains",
    kind: "text",
    label: "Only with an email of these domains",
    about: "Separated by commas. Empty: any.",
    under: "autoCreate",
    maxLength: 10_000,
  },
  { name: "defaultRootRoleId", kind: "role", label: "Their role in the whole instance", under: "autoCreate" },
  {
    name: "enableGroupSyncing",
    kind: "switch",
    label: "Signing in joins and leaves groups as the provider says",
    about: "Groups name the provider's groups that feed them. Members added by hand stay.",
  },
  {
    name: "groupJsonPath",
    kind: "text",
    label: "Groups claim",
    about: "Name of the property, or a path such as realm.groups.",
    under: "enableGroupSyncing",
    maxLength: 1000,
  },
];

export const fields: Record<Protocol, Field[]> = {
  oidc: [
    {
      name: "discoverUrl",
      kind: "text",
      label: "Discovery URL",
      about: "Its issuer, or the address of its discovery document: https.",
      maxLength: 2000,
    },
    { name: "clientId", kind: "text", needed: true, label: "Client id", maxLength: 1000 },
    {
      name: "secret",
      kind: "secret",
      needed: true,
      label: "Client secret",
      about: "Any text, where the client authentication below sends none.",
      maxLength: 10_000,
    },
    {
      name: "acrValues",
      kind: "text",
      label: "ACR values",
      about: "Separated by blanks. Empty: the provider decides.",
      maxLength: 1000,
    },
    {
      name: "idTokenSigningAlgorithm",
      kind: "algorithm",
      label: "ID token signing algorithm",
      about: "More algorithms are below: one that is chosen there comes first.",
    },
    {
      name: "enableSingleSignOut",
      kind: "switch",
      label: "Signing out here also signs out at the provider",
    },
    ...shared,
    { name: "addGroupsScope", kind: "switch", label: "Ask for the scope “groups” too", under: "enableGroupSyncing" },
  ],
  saml: [
    { name: "entityId", kind: "text", needed: true, label: "Entity id of the provider", maxLength: 1000 },
    {
      name: "signOnUrl",
      kind: "text",
      needed: true,
      label: "Single sign-on URL",
      about: "Single sign-on address: https.",
      maxLength: 2000,
    },
    {
      name: "certificate",
      kind: "long",
      needed: true,
      label: "Certificate",
      about: "PEM, several PEM while it changes its key, or the base64 of its metadata.",
      maxLength: 100_000,
    },
    {
      name: "signOutUrl",
      kind: "text",
      label: "Single logout URL",
      about: "Single logout address. Empty: signing out here leaves its session alone.",
      maxLength: 2000,
    },
    {
      name: "spCertificate",
      kind: "long-secret",
      label: "Service provider key",
      about: "Signs what this server sends: PEM of the private key, perhaps with its certificate after it.",
      maxLength: 100_000,
    },
    ...shared,
  ],
};

export const isSecret = ({ kind }: { kind: string }) => kind === "secret" || kind === "long-secret";
const isSwitch = ({ kind }: Field) => kind === "switch";

/** Settings as a form has them: every field there, empty ones as empty texts. */
export function valuesOf(protocol: Protocol, stored: object, roles: readonly { id: number; name: string }[]): Values {
  const given = stored as Record<string, string | number | boolean | undefined>;
  const values: Values = { enabled: given.enabled === true };
  for (const field of fields[protocol]) {
    const value = given[field.name];
    values[field.name] = isSwitch(field) ? value === true : String(value ?? "");
  }
  const named = roles.find(({ name }) => name === given.defaultRootRole);
  if (values.defaultRootRoleId === "" && named) values.defaultRootRoleId = String(named.id);
  return values;
}

/** Settings as they travel: what is empty is left out, and so forgotten. */
export function bodyOf(protocol: Protocol, values: Values): { enabled: boolean } & Record<string, unknown> {
  const body: { enabled: boolean } & Record<string, unknown> = { enabled: values.enabled };
  for (const { name, kind } of fields[protocol]) {
    const value = values[name];
    if (typeof value === "string") {
      const text = kind === "secret" ? value : value.trim();
      if (text !== "") body[name] = kind === "role" ? Number(text) : text;
    } else if (value) body[name] = true;
  }
  return body;
}

/** Names of the fields without which the provider cannot be used. */
export const missing = (protocol: Protocol, values: Values) =>
  values.enabled ? fields[protocol].filter(({ needed, name }) => needed && values[name] === "") : [];

/** What one person changed, on top of what is stored by now. */
export function onTopOf(stored: Values, start: Values, mine: Values): Values {
  const changed = Object.entries(mine).filter(([name, value]) => value !== start[name]);
  return { ...stored, ...Object.fromEntries(changed) };
}

export interface Difference {
  label: string;
  before: string;
  after: string;
}

/** A value before or after a change. Of secrets only whether there is one. */
export function inWords(value: string | boolean | undefined, isHidden = false, isNew = false): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  if (!isHidden) return value || "none";
  return value ? (isNew ? "another one (hidden)" : "one (hidden)") : "none";
}

/** What saving changes. */
export function differences(protocol: Protocol, before: Values, after: Values): Difference[] {
  const used: Field = { name: "enabled", kind: "switch", label: "In use" };
  return [used, ...fields[protocol]]
    .filter(({ name }) => before[name] !== after[name])
    .map((field) => ({
      label: field.label,
      before: inWords(before[field.name], isSecret(field)),
      after: inWords(after[field.name], isSecret(field), before[field.name] !== ""),
    }));
}

// The two bodies differ by protocol; the form's fields are what keeps each of them right.
const body = (protocol: Protocol, values: Values) => bodyOf(protocol, values) as never;

export const planRead = (protocol: Protocol): Planned<Schemas["OidcSettings"] | Schemas["SamlSettings"]> =>
  protocol === "oidc"
    ? request("get", "/api/admin/auth/oidc/settings", { params: { query: { maskSecrets: true } } })
    : request("get", "/api/admin/auth/saml/settings", { params: { query: { maskSecrets: true } } });

export const planSave = (protocol: Protocol, values: Values): Planned =>
  protocol === "oidc"
    ? request("post", "/api/admin/auth/oidc/settings", {
        params: { query: { maskSecrets: true } },
        body: body(protocol, values),
      })
    : request("post", "/api/admin/auth/saml/settings", {
        params: { query: { maskSecrets: true } },
        body: body(protocol, values),
      });

export const planTrial = (protocol: Protocol, values: Values): Planned<Schemas["SignInTrial"]> =>
  protocol === "oidc"
    ? request("post", "/api/admin/auth/oidc/test", { body: body(protocol, { ...values, enabled: true }) })
    : request("post", "/api/admin/auth/saml/test", { body: body(protocol, { ...values, enabled: true }) });

export const planOutcome = (protocol: Protocol, trialId: string): Planned<Schemas["SignInTrialOutcome"]> =>
  protocol === "oidc"
    ? request("get", "/api/admin/auth/oidc/test/{trialId}", { params: { path: { trialId } } })
    : request("get", "/api/admin/auth/saml/test/{trialId}", { params: { path: { trialId } } });

// How the server and a provider are made known to each other: by the settings of a protocol, or as a further provider with
// an id. Each of the two has addresses of its own, and takes what a provider's `settings` say in a form of its own.
import { ask as askAsAdmin, base as served } from "./place.mjs";

const further = "/api/admin/auth/providers";

// Addresses and ids of the server that a provider has to know; of a further provider, if there is an `id`.
export function registration(base, protocol, id) {
  const path = `/auth/${id ? `providers/${id}` : protocol}`;
  const at = base + path;
  return {
    id,
    protocol,
    home: `${base}/`,
    login: `${path}/login`,
    callback: `${at}/${id && protocol === "saml" ? "acs" : "callback"}`,
    metadata: `${at}/metadata`,
    entityId: id ? `${at}/metadata` : base,
    singleLogout: `${at}/logout/done`,
    backChannelLogout: `${at}/backchannel-logout`,
    clientId: id ?? "flagstone",
  };
}

// The settings of a protocol. `content` is what is saved, and tried before.
export function inSettings(protocol, { base = served, ask = askAsAdmin } = {}) {
  const path = `/api/admin/auth/${protocol}`;
  const save = (body) => ask(`${path}/settings`, { method: "POST", body });
  return {
    title: `in the settings of ${protocol}`,
    ...registration(base, protocol),
    trials: `${path}/test`,
    content: ({ settings }, change) => ({ enabled: true, autoCreate: true, ...settings(), ...change }),
    async prepare({ policy }) {
      const stored = await ask("/api/admin/auth/policy");
      await ask("/api/admin/auth/policy", { method: "PUT", body: { ...stored, ...policy } });
    },
    save,
    remove: () => save({ enabled: false }),
  };
}

// A further provider. Its rules are those of the settings of the same meaning, and `rules` besides.
export function asFurther(protocol, id, { base = served, ask = askAsAdmin, rules = {} } = {}) {
  const path = `${further}/${id}`;
  const button = { label: `Sign in with ${id}`, icon: "building", enabled: true };
  let isStored = false;
  return {
    title: "as a further provider",
    ...registration(base, protocol, id),
    button,
    trials: `${path}/test`,
    content({ settings, policy, unlikeSettings }, change = {}) {
      const { emailDomains, enableGroupSyncing, groupJsonPath, addGroupsScope, acrValues, rules: more, ...connection } = {
        ...settings(),
        ...change,
      };
      return {
        kind: protocol,
        settings: {
          ...connection,
          ...unlikeSettings,
          ...(acrValues && { acrValues }),
          ...(groupJsonPath && { groupsPath: groupJsonPath }),
          ...(addGroupsScope && { scopes: ["groups"] }),
          ...(policy?.samlSignRequests && { signRequests: true }),
        },
        rules: {
          autoCreate: true,
          syncGroups: enableGroupSyncing,
          emailDomains: emailDomains?.split(","),
          ...rules,
          ...more,
        },
      };
    },
    async prepare() {},
    async save({ kind, ...content }) {
      const body = { ...button, ...content };
      if (isStored) return ask(path, { method: "PUT", body });
      isStored = true;
      return ask(further, { method: "POST", body: { id, kind, ...body } });
    },
    async remove() {
      if (isStored) await ask(path, { method: "DELETE" });
      isStored = false;
    },
  };
}

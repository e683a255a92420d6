import { send } from "../../../api/client";
import { request, type Schemas } from "../../../api/request";
import type { Plain } from "../../../parts/conflict/merge";
import { inWords, isSecret, type Difference } from "../fields";
import { kinds, settingsOf, type Icon, type Kind, type Provider, type SettingName } from "./kinds";
import { rules, settings, type RuleName, type Setting } from "./settings";

export type Value = string | boolean | string[];

/** A root role by what the provider says; the role's id as a choice has it. */
export type RootRole = { claim: string; value: string; roleId: string };

export interface Rules extends Record<RuleName, Value> {
  rootRoles: RootRole[];
}

/** A provider as a form has it: every setting of its kind there, empty ones as empty texts. */
export interface Draft extends Plain {
  label: string;
  icon: Icon;
  enabled: boolean;
  settings: Partial<Record<SettingName, Value>>;
  rules: Rules;
}

interface Named {
  id: number;
  name: string;
}

const ruleNames = Object.keys(rules) as RuleName[];
const eachRule = (value: (name: RuleName) => Value) =>
  Object.fromEntries(ruleNames.map((name) => [name, value(name)])) as Record<RuleName, Value>;

/** A setting where nothing is said of it. */
function blank({ kind, isOnByDefault }: Setting): Value {
  if (kind === "switch") return isOnByDefault ?? false;
  return kind === "texts" ? [] : "";
}

function asValue(setting: Setting, stored: Value | number | undefined): Value {
  if (stored === undefined) return blank(setting);
  return typeof stored === "number" ? String(stored) : stored;
}

/** What a form holds of a setting, also of one that another kind has not had. */
export const valueOf = (draft: Pick<Draft, "settings">, name: SettingName): Value =>
  draft.settings[name] ?? blank(settings[name]);

export function draftOf({ kind, label, icon, enabled, settings: stored, rules: given }: Provider): Draft {
  const { rootRoles = [], ...others } = given;
  return {
    label,
    icon,
    enabled,
    settings: Object.fromEntries(settingsOf(kind).map((name) => [name, asValue(settings[name], stored[name])])),
    rules: {
      ...eachRule((name) => asValue(rules[name], others[name])),
      rootRoles: rootRoles.map(({ claim, value, roleId }) => ({ claim, value, roleId: String(roleId) })),
    },
  };
}

/** Rules that let nobody in but users to whom an identity is linked. */
export const noRules: Rules = {
  ...eachRule((name) => blank(rules[name])),
  rootRoles: [],
};

/** A value as it travels; nothing for what goes without saying. */
function travelling(setting: Setting, value: Value): unknown {
  if (typeof value === "boolean") return value === blank(setting) ? undefined : value;
  if (typeof value !== "string") return value.length > 0 ? value : undefined;
  const text = setting.kind === "secret" ? value : value.trim();
  if (text === "") return undefined;
  return setting.kind === "role" ? Number(text) : text;
}

const said = (entries: [string, unknown][]) => Object.fromEntries(entries.filter(([, value]) => value !== undefined));

/** Settings and rules as they travel: exactly those that the kind has, and of them what is said. */
export function contentOf(kind: Kind, draft: Pick<Draft, "settings" | "rules">) {
  const { rootRoles, ...others } = draft.rules;
  const roles = rootRoles.map(({ claim, value, roleId }) => ({ claim: claim.trim(), value, roleId: Number(roleId) }));
  return {
    settings: said(
      settingsOf(kind).map((name) => [name, travelling(settings[name], valueOf(draft, name))]),
    ) as Schemas["SignInProviderSettings"],
    rules: said([
      ...ruleNames.map((name): [string, unknown] => [name, travelling(rules[name], others[name])]),
      ["rootRoles", roles.length > 0 ? roles : undefined],
    ]) as Schemas["SignInProviderRules"],
  };
}

export const planCreate = (id: string, kind: Kind, draft: Draft) =>
  request("post", "/api/admin/auth/providers", {
    body: { id, kind, label: draft.label.trim(), icon: draft.icon, enabled: draft.enabled, ...contentOf(kind, draft) },
  });

const ofProvider = (providerId: string) => ({ params: { path: { providerId } } });

export const planRead = (id: string) => request("get", "/api/admin/auth/providers/{providerId}", ofProvider(id));

export const planUpdate = (id: string, kind: Kind, draft: Draft) =>
  request("put", "/api/admin/auth/providers/{providerId}", {
    ...ofProvider(id),
    body: { label: draft.label.trim(), icon: draft.icon, enabled: draft.enabled, ...contentOf(kind, draft) },
  });

/** A trial of what a provider is to be, whether there is one with this id or not. */
export const planTrial = (id: string, kind: Kind, draft: Pick<Draft, "settings" | "rules">) =>
  request("post", "/api/admin/auth/providers/{providerId}/test", {
    ...ofProvider(id),
    body: { kind, ...contentOf(kind, draft) },
  });

export const planOutcome = (providerId: string, trialId: string) =>
  request("get", "/api/admin/auth/providers/{providerId}/test/{trialId}", {
    params: { path: { providerId, trialId } },
  });

export const planDelete = (id: string) => request("delete", "/api/admin/auth/providers/{providerId}", ofProvider(id));

export const planOrder = (ids: string[]) => request("put", "/api/admin/auth/providers/sort-order", { body: { ids } });

/** What is stored of a provider by now. */
export async function freshDraft(id: string): Promise<Draft> {
  const { data } = await send(request("get", "/api/admin/auth/providers/{providerId}", ofProvider(id)));
  return draftOf(data);
}

const isEmpty = (value: Value) => typeof value !== "boolean" && value.length === 0;

/** Whether groups decide who comes in, or where somebody belongs, so that the provider has to tell them. */
const needsGroups = ({ requiredGroups, syncGroups }: Rules) => syncGroups === true || !isEmpty(requiredGroups);

/** Whether the server refuses the kind without this setting, as things are. */
export function isNeeded(kind: Kind, draft: Pick<Draft, "settings" | "rules">, name: SettingName): boolean {
  if (kinds[kind].needs.includes(name)) return true;
  if (name === "groupsPath") return !kinds[kind].tellsGroups && needsGroups(draft.rules);
  return name === "spCertificate" && valueOf(draft, "signRequests") === true;
}

/** What a trial lacks, as the form calls it. */
export function missingToTry(kind: Kind, draft: Pick<Draft, "settings" | "rules">): string[] {
  const lacking = settingsOf(kind).filter((name) => isNeeded(kind, draft, name) && isEmpty(valueOf(draft, name)));
  const isUnfinished = draft.rules.rootRoles.some(({ claim, roleId }) => !claim.trim() || !roleId);
  return [
    ...lacking.map((name) => settings[name].label),
    ...(isUnfinished ? ["Claim and role of each role by claim"] : []),
  ];
}

/** What must still be filled in, as the form calls it. */
export const missing = (kind: Kind, draft: Pick<Draft, "label" | "settings" | "rules">): string[] => [
  ...(draft.label.trim() ? [] : ["Label"]),
  ...missingToTry(kind, draft),
];

const rolesInWords = (given: readonly RootRole[], roles: readonly Named[]) =>
  given.map(({ claim, value, roleId }) => `${claim} = ${value}: ${nameOfRole(roleId, roles)}`).join("; ");

const nameOfRole = (id: string, roles: readonly Named[]) => roles.find((role) => String(role.id) === id)?.name ?? id;

/** What saving changes. Of secrets only whether there is one. */
export function differences(kind: Kind, before: Draft, after: Draft, roles: readonly Named[]): Difference[] {
  const shown = (setting: Pick<Setting, "kind">, value: Value) =>
    setting.kind === "role" ? nameOfRole(String(value), roles) : Array.isArray(value) ? value.join(", ") : value;
  const found: Difference[] = [];
  function compare(setting: Pick<Setting, "label" | "kind">, from: Value, to: Value) {
    const [one, other] = [shown(setting, from), shown(setting, to)];
    if (one === other) return;
    found.push({
      label: setting.label,
      before: inWords(one, isSecret(setting), false),
      after: inWords(other, isSecret(setting), one !== ""),
    });
  }
  compare({ label: "Label", kind: "text" }, before.label, after.label);
  compare({ label: "Icon", kind: "text" }, before.icon, after.icon);
  compare({ label: "In use", kind: "switch" }, before.enabled, after.enabled);
  for (const name of settingsOf(kind)) compare(settings[name], valueOf(before, name), valueOf(after, name));
  for (const name of ruleNames) compare(rules[name], before.rules[name], after.rules[name]);
  const [from, to] = [before, after].map((draft) => rolesInWords(draft.rules.rootRoles, roles));
  compare({ label: "Roles by claim", kind: "text" }, from ?? "", to ?? "");
  return found;
}

/** An id for a provider of this label, which is part of its addresses. */
export const idFor = (label: string): string =>
  label
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 50)
    .replace(/^-+|-+$/g, "");

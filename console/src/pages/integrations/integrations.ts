import { needing } from "../../api/permissions";
import { request, type Planned, type Schemas } from "../../api/request";
import { eventInWords } from "../../parts/events/sentence";
import { presetOf } from "./presets";
import { some } from "../../parts/strategies/audience";

export type Integration = Schemas["Addon"];
export type Provider = Schemas["AddonType"];
export type Parameter = Schemas["AddonParameter"];
export type Delivery = Schemas["IntegrationEvent"];

/** What stands in the place of a secret: sent back, it keeps the one that is stored. */
export const kept = "*****";

export type Draft = {
  provider: Provider["name"] | "";
  enabled: boolean;
  description: string;
  /** Without those that are empty. */
  parameters: Record<string, string>;
  events: string[];
  /** Empty means all of them. */
  projects: string[];
  /** Empty means all of them. */
  environments: string[];
};

export const nothing: Draft = {
  provider: "",
  enabled: true,
  description: "",
  parameters: {},
  events: [],
  projects: [],
  environments: [],
};

const chosen = (names: readonly string[]) => (names[0] === "*" ? [] : [...names]);

export const draftOf = (integration: Integration): Draft => ({
  provider: integration.provider,
  enabled: integration.enabled,
  description: integration.description ?? "",
  parameters: Object.fromEntries(Object.entries(integration.parameters).map(([name, value]) => [name, String(value)])),
  events: [...integration.events],
  projects: chosen(integration.projects),
  environments: chosen(integration.environments),
});

/** The parameters with one that is changed; what is empty is left out, and so forgotten. */
export function withParameter(parameters: Draft["parameters"], name: string, value: string): Draft["parameters"] {
  return Object.fromEntries(Object.entries({ ...parameters, [name]: value }).filter(([, given]) => given !== ""));
}

const bodyOf = (draft: Draft) => ({
  provider: draft.provider as Provider["name"],
  enabled: draft.enabled,
  description: draft.description.trim() || null,
  parameters: draft.parameters,
  events: draft.events as Schemas["AddonCreateUpdate"]["events"],
  projects: draft.projects,
  environments: draft.environments,
});

const secretNames = (provider: Provider | undefined) =>
  (provider?.parameters ?? []).filter(({ sensitive }) => sensitive).map(({ name }) => name);

/** Telling of all projects takes an administrator, whoever else may make integrations. */
function permitted<A>(planned: Planned<A>, draft: Draft, provider: Provider | undefined): Planned<A> {
  const careful = { ...planned, secrets: secretNames(provider) };
  return draft.projects.length === 0 ? needing(careful, "ADMIN") : careful;
}

export const planNew = (draft: Draft, provider: Provider | undefined) =>
  permitted(request("post", "/api/admin/addons", { body: bodyOf(draft) }), draft, provider);

/** What a new one takes at least, before anything is said of it. */
export const anyNew = request("post", "/api/admin/addons", { body: bodyOf({ ...nothing, provider: "webhook" }) });

const one = "/api/admin/addons/{id}";
const params = (id: number) => ({ path: { id } });

export const planRead = (id: number) => request("get", one, { params: params(id) });
export const planChange = (id: number, draft: Draft, provider: Provider | undefined) =>
  permitted(request("put", one, { params: params(id), body: bodyOf(draft) }), draft, provider);
export const planRemoval = (id: number) => request("delete", one, { params: params(id) });
export const planTest = (id: number) =>
  request("post", "/api/admin/addons/{id}/test", { params: params(id), body: {} });

export const perPage = 50;
export const planLog = (id: number, offset: number) =>
  request("get", "/api/admin/addons/{id}/events", {
    params: { ...params(id), query: { limit: String(perPage), offset: String(offset) } },
  });

/** Some deliveries once more, or all that were given up. */
export const planAgain = (id: number, deliveries?: readonly Delivery[]) =>
  request("post", "/api/admin/addons/{id}/redeliver", {
    params: params(id),
    body: deliveries ? { ids: deliveries.map((delivery) => Number(delivery.id)) } : {},
  });

/** Why it cannot be saved so. */
export function objection(draft: Draft, provider: Provider | undefined): string | undefined {
  if (!provider) return "Choose a type.";
  const missing = provider.parameters.filter(({ name, required }) => required && !draft.parameters[name]?.trim());
  if (missing.length > 0) return `What is missing: ${missing.map(({ displayName }) => displayName).join(", ")}.`;
  return draft.events.length === 0 ? "Choose at least one type of event." : undefined;
}

/** A secret that was replaced is known to nobody any more. */
export const replacesSecret = (start: Draft, saved: Draft) =>
  Object.entries(start.parameters).some(([name, value]) => value === kept && saved.parameters[name] !== kept);

/** What it is told of: "switched on, in webshop, in production". */
export function inShort({ events, projects, environments }: Draft, names: ReadonlyMap<string, string>): string {
  const what =
    events.length === 1
      ? eventInWords(events[0] ?? "")
      : (presetOf(events)?.label.toLowerCase() ?? `${events.length} types of events`);
  const inProjects = projects.length ? some(projects.map((id) => names.get(id) ?? id)) : "all projects";
  return [what, `in ${inProjects}`, ...(environments.length ? [`in ${some(environments)}`] : [])].join(", ");
}

export const states: Record<Delivery["state"], { label: string; tone: string; sign: string }> = {
  waiting: { label: "waiting", tone: "warning", sign: "…" },
  success: { label: "delivered", tone: "good", sign: "✓" },
  failed: { label: "failed", tone: "danger", sign: "✗" },
  successWithErrors: { label: "delivered in part", tone: "warning", sign: "!" },
};

import type { Schemas } from "../../api/request";
import { detailOf } from "./detail";

type Event = Schemas["Event"];

/** Where the words of a type do not make a sentence by themselves. */
const special: Record<string, string> = {
  "feature-environment-enabled": "switched on {feature} in {environment}",
  "feature-environment-disabled": "switched off {feature} in {environment}",
  "feature-created": "created the flag {feature}",
  "feature-archived": "archived {feature}",
  "feature-revived": "revived {feature}",
  "feature-deleted": "deleted {feature} for ever",
  "feature-updated": "changed {feature}",
  "feature-metadata-updated": "changed the settings of {feature}",
  "feature-variants-updated": "changed the variants of {feature}",
  "feature-environment-variants-updated": "changed the variants of {feature} in {environment}",
  "feature-project-change": "moved {feature} to {project}",
  "feature-strategy-add": "added a strategy to {feature} in {environment}",
  "feature-strategy-update": "changed a strategy of {feature} in {environment}",
  "feature-strategy-remove": "removed a strategy of {feature} in {environment}",
  "strategy-order-changed": "put the strategies of {feature} in {environment} into another order",
  "feature-stale-on": "marked {feature} as stale",
  "feature-stale-off": "marked {feature} as not stale",
  "feature-potentially-stale-on": "found {feature} older than its type should be",
  "feature-completed": "marked {feature} as completed",
  "feature-uncompleted": "marked {feature} as not completed",
  "feature-tagged": "tagged {feature}",
  "feature-untagged": "took a tag off {feature}",
  "feature-dependency-added": "added a dependency to {feature}",
  "feature-dependency-removed": "removed a dependency of {feature}",
  "feature-dependencies-removed": "removed all dependencies of {feature}",
  "feature-link-added": "added a link to {feature}",
  "feature-link-updated": "changed a link of {feature}",
  "feature-link-removed": "removed a link of {feature}",
  "feature-favorited": "added {feature} to the favourites",
  "feature-unfavorited": "removed {feature} from the favourites",
  "project-favorited": "added {project} to the favourites",
  "project-unfavorited": "removed {project} from the favourites",
  "features-imported": "imported flags into {project}",
  "features-exported": "exported flags",
  "project-environment-added": "gave {project} the environment {environment}",
  "project-environment-removed": "took the environment {environment} from {project}",
  "default-strategy-updated": "changed the default strategy of {project} in {environment}",
  "change-request-created": "began a draft for {environment}",
  "change-request-discarded": "discarded a draft for {environment}",
  "change-request-sent-to-review": "sent a change request for {environment} to review",
  "change-request-approval-added": "approved a change request for {environment}",
  "change-request-approved": "gave a change request for {environment} its last approval",
  "change-request-rejected": "rejected a change request for {environment}",
  "change-request-cancelled": "cancelled a change request for {environment}",
  "change-request-applied": "applied a change request in {environment}",
  "change-request-scheduled": "scheduled a change request for {environment}",
  "change-request-scheduled-application-success": "applied a scheduled change request in {environment}",
  "change-request-scheduled-application-failure": "could not apply a scheduled change request in {environment}",
  "change-request-schedule-suspended": "suspended the schedule of a change request for {environment}",
  "change-request-configuration-updated": "changed which approvals {project} needs in {environment}",
  "change-request-requested-approvers-updated": "changed who is asked to approve a change request for {environment}",
  "change-request-comment-added": "commented on a change request for {environment}",
  "change-request-title-updated": "changed the title of a change request for {environment}",
  "change-request-moved-in": "took a change request for {environment} over from another server",
  "freeze-window-created": "created a freeze",
  "freeze-window-updated": "changed a freeze",
  "freeze-window-deleted": "deleted a freeze",
  "change-added": "added a change to a change request for {environment}",
  "change-edited": "edited a change in a change request for {environment}",
  "change-discarded": "discarded a change of a change request for {environment}",
  "scim-users-deleted": "deleted the users of the directory",
  "scim-groups-deleted": "deleted the groups of the directory",
  "user-access-request-registered": "registered a request for access",
  "user-access-request-approved": "approved a request for access",
  "user-access-request-rejected": "rejected a request for access",
  "account-policy-changed": "changed the policy on accounts",
  "login-providers-ordered": "changed the order of the login providers",
  "scim-directory-created": "created a SCIM directory",
  "scim-directory-updated": "replaced the token of a SCIM directory",
  "scim-directory-deleted": "deleted a SCIM directory",
  "client-register": "registered an application",
  "client-metrics": "counted evaluations",
  "db-pool-update": "changed the pool of the database",
};

const verbs: Record<string, string> = {
  created: "created",
  updated: "changed",
  update: "changed",
  deleted: "deleted",
  added: "added",
  removed: "removed",
  changed: "changed",
  change: "changed",
  import: "imported",
  deprecated: "deprecated",
  reactivated: "took back into use",
  discarded: "discarded",
  edited: "edited",
  rejected: "rejected",
  approved: "approved",
  cancelled: "cancelled",
  suspended: "suspended",
  applied: "applied",
  scheduled: "scheduled",
  success: "succeeded with",
  failure: "failed with",
  review: "sent to review",
};

const nouns: Record<string, string> = {
  "api-token": "an API token",
  pat: "a personal token",
  user: "a user",
  addon: "an integration",
  "addon-config": "an integration",
  actions: "actions",
  environment: "the environment {environment}",
  project: "the project {project}",
};

/** The sentence of a type, with `{feature}`, `{environment}` and `{project}` where those belong. */
export function template(type: string): string {
  if (special[type]) return special[type];
  if (type.startsWith("drop-")) return `dropped all ${type.slice(5).replaceAll("-", " ")}`;
  const words = type.split("-");
  const last = words.at(-1) ?? "";
  const noun = words.slice(0, verbs[last] ? -1 : undefined).join("-");
  const named = nouns[noun] ?? `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun.replaceAll("-", " ")}`;
  return `${verbs[last] ?? "changed"} ${named}`;
}

export interface Piece {
  text: string;
  kind?: "feature" | "environment" | "project";
}

type Said = Pick<Event, "type" | "label" | "featureName" | "environment" | "project" | "data" | "preData">;

interface Options {
  /** On its own page a flag is not named in each row. */
  isOfOneFlag?: boolean;
}

const ofFlag = / ?(?:\b(?:of|to|from) )?\{feature\}/;

/** A sentence in pieces, so that names can be links; what an event does not name is left out of it. */
export function sentence(event: Said, { isOfOneFlag = false }: Options = {}): Piece[] {
  const type = typeOf(event);
  const names = { feature: event.featureName, environment: event.environment, project: event.project };
  const whole = template(type);
  const pieces = (isOfOneFlag ? whole.replace(ofFlag, "") : whole)
    .split(/(\{\w+\})/)
    .filter(Boolean)
    .map((part): Piece => {
      const kind = part.startsWith("{") ? (part.slice(1, -1) as Piece["kind"] & string) : undefined;
      return kind ? { text: names[kind] ?? `some ${kind}`, kind } : { text: part };
    });
  const request = requestOf(event);
  const about = isOfOneFlag || !event.featureName ? "" : `, ${event.featureName}`;
  const detail = request === undefined ? detailOf(type, event) : `#${request}${about}`;
  const named = nameIn(event.data) ?? nameIn(event.preData);
  const isNamed = ofFlag.test(whole) || pieces.some(({ kind }) => kind === "project") || named === event.environment;
  if (isNamed || !named) return detail ? [...pieces, { text: `: ${detail}` }] : pieces;
  return [...pieces, { text: `: ${named}${detail ? ` (${detail})` : ""}` }];
}

/** The type of an event that has a sentence: its own, where the list of types has no word for it. */
function typeOf({ type, label, data, preData }: Pick<Said, "type" | "label" | "data" | "preData">): string {
  if (label && special[label]) return label;
  const id = (data ?? preData)?.id;
  if (directoryIn(data ?? preData)) return type.replace("setting", "scim-directory");
  if (id === "flagstone.account-policy") return "account-policy-changed";
  if (id === providers) return "login-providers-ordered";
  return isOfProvider(id) ? type.replace("setting", "login-provider") : type;
}

/** The id of the settings of all login providers, below which each has its own. */
const providers = "flagstone.sign-in-providers";
const isOfProvider = (id: unknown) => typeof id === "string" && id.startsWith(`${providers}.`);

/** The directory that an event of the settings is about. */
function directoryIn(data: unknown): { name?: unknown } | undefined {
  const { id, directory } = (data ?? {}) as { id?: unknown; directory?: { name?: unknown } };
  return id === "flagstone.scim-directory" ? directory : undefined;
}

/** The number of the change request that an event is about. */
export function requestOf({ type, data, preData }: Pick<Event, "type" | "data" | "preData">): number | undefined {
  if (!type.startsWith("change-")) return undefined;
  const told = [data, preData].map((part) => (part as { changeRequestId?: unknown } | null)?.changeRequestId);
  return told.find((id): id is number => typeof id === "number");
}

function nameIn(data: unknown): string | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { id, name, tokenName, username, description, label } = data as Record<string, unknown>;
  return [name, tokenName, username, description, directoryIn(data)?.name, isOfProvider(id) && label].find(
    (value): value is string => typeof value === "string" && value !== "",
  );
}

/** What an entry of a dry run says. */
export const eventInWords = (said: string) => {
  const [type = said, where] = said.split(" in ");
  const words = template(type).replace(/ ?(in |of |to )?\{\w+\}/g, "");
  return where ? `${words} in ${where}` : words;
};

import { parseFilter } from "../../api/filters";
import type { Schemas } from "../../api/request";

/** Of an event, what tells which answers it makes old. */
export type Touching = Pick<Schemas["Event"], "type" | "label" | "project" | "featureName">;

/** What events without a feature or a project are about, by the beginning of their own type, and where that is read. */
const places: readonly [type: RegExp, path: RegExp][] = [
  [/^segment-/, /\/segments/],
  [/^context-field-/, /\/context/],
  [/^tag-type-/, /\/tag-types/],
  [/^(tag|feature-tagged)-?/, /\/tags/],
  [/^strategy-/, /\/strategies/],
  [/^environment-/, /\/environments/],
  [/^feature-type-/, /\/feature-types/],
  [/^api-token-/, /\/api-tokens/],
  [/^addon-/, /\/addons/],
  [/^banner-/, /\/banners/],
  [
    /^(user|group|role|service-account|scim|public-signup|pat)-/,
    /\/(user|groups|roles|service-account|invite-link|scim-settings\/directories|account-policy\/expiring-users)/,
  ],
  [/^freeze-window-/, /\/freeze(-windows)?$/],
  // The policy on accounts says how long tokens last, too.
  [
    /^setting-/,
    /\/(ui-config|auth|maintenance|scim-settings|account-policy|user\/tokens$|service-account\/\d+\/token$)/,
  ],
];

/** What changes how many features there are, and where. */
const counted = /^feature-(created|archived|revived|deleted|project-change)$|^features-imported$/;

const asText = (address: string) => new URL(address, "http://server");

/** Whether a search is limited to others than this one. */
function isElsewhere({ searchParams }: URL, filter: string, name: string | null | undefined): boolean {
  const wanted = parseFilter(searchParams.get(filter) ?? undefined);
  return wanted?.operator === "IS_ANY_OF" && !wanted.values.includes(name ?? "");
}

/** Whether an answer, known by its operation and address, is no longer true after an event. */
export function touches({ type, label, project, featureName }: Touching, operation: string, address: string): boolean {
  const url = asText(address);
  const path = decodeURIComponent(url.pathname);
  if (operation === "searchEvents")
    return !isElsewhere(url, "project", project) && !isElsewhere(url, "feature", featureName);
  if (operation === "searchFeatures") {
    const isMove = type === "feature-project-change";
    return Boolean(featureName ?? project) && (isMove || !isElsewhere(url, "project", project));
  }
  if (path === "/api/admin/projects" || operation === "getPersonalDashboard")
    return counted.test(type) || (Boolean(project) && !featureName);
  if (operation === "searchChangeRequests") return type.startsWith("change-");
  const [, feature] = /\/features\/([^/]+)/.exec(path.replace("/archive/features/", "/archive/")) ?? [];
  if (featureName && feature === featureName) return true;
  const isOfProject = Boolean(project) && `${path}/`.includes(`/${project}/`) && feature === undefined;
  return isOfProject || places.some(([of, where]) => of.test(label ?? type) && where.test(path) && !featureName);
}

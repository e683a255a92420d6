import type { Schemas } from "../../api/request";
import { tagInWords } from "../tags";

type Event = Pick<Schemas["Event"], "data" | "preData">;
type Part = Record<string, unknown>;

const isPart = (value: unknown): value is Part => typeof value === "object" && value !== null && !Array.isArray(value);

/** What settings are called, where their own name is not it. */
const names: Record<string, string> = {
  impressionData: "impression data",
  legalValues: "values",
  groupId: "group ID",
  discoverUrl: "discovery URL",
  featureNaming: "naming of flags",
  sortOrder: "order",
  changedSettings: "connection",
};

/** What the log keeps of a thing besides its settings. */
const unsaid = new Set([
  "id",
  "name",
  "featureName",
  "projectId",
  "createdAt",
  "updatedAt",
  "lastSeenAt",
  "createdBy",
  "inactiveUsersSince",
]);

const named = (key: string) =>
  names[key] ?? key.replace(/([a-z])([A-Z])/g, (_, end: string, begin: string) => `${end} ${begin.toLowerCase()}`);

const longest = 30;

/** A value as it stands in a sentence; nothing for what is too long for one. */
function short(value: unknown): string | undefined {
  if (value === true) return "on";
  if (value === false) return "off";
  if (value === null || value === undefined || value === "") return "none";
  const text = typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  return text !== undefined && text.length <= longest ? text : undefined;
}

function change(key: string, before: unknown, after: unknown): string {
  const [from, to] = [short(before), short(after)];
  if (key === "rollout") return `rollout ${from} → ${to} %`;
  if (from === undefined || to === undefined) return named(key);
  return typeof after === "boolean" && before === !after ? `${named(key)} ${to}` : `${named(key)} ${from} → ${to}`;
}

const same = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
const most = 3;

/** Settings that differ, the parameters of a strategy among them. */
function differing(before: Part, after: Part): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !unsaid.has(key) && !same(before[key], after[key]),
  );
  return keys.flatMap((key) =>
    key === "parameters" && isPart(before[key]) && isPart(after[key])
      ? differing(before[key], after[key])
      : [change(key, before[key], after[key])],
  );
}

/** "rollout 10 → 50 %, title": which settings changed, with those values that fit a sentence. */
export function settingsChanged({ preData, data }: { preData?: unknown; data?: unknown }): string | undefined {
  if (!isPart(preData) || !isPart(data)) return undefined;
  const found = differing(preData, data);
  return found.length > most
    ? [...found.slice(0, most), `${found.length - most} more`].join(", ")
    : found.join(", ") || undefined;
}

/** "red, blue" */
function variantsOf(data: unknown): string {
  const variants = isPart(data) && Array.isArray(data.variants) ? (data.variants as Part[]) : [];
  return variants.map(({ name }) => String(name)).join(", ") || "none";
}

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

/** What changed, where that is a word or two. */
export function detailOf(type: string, event: Event): string | undefined {
  const [before, after] = [event.preData, event.data].map((part: unknown) => (isPart(part) ? part : undefined));
  const known = after ?? before;
  switch (type) {
    case "feature-tagged":
    case "feature-untagged": {
      const tag = after?.value ? after : before;
      return tag?.value ? tagInWords(tag as unknown as Schemas["Tag"]) : undefined;
    }
    case "feature-link-added":
    case "feature-link-updated":
    case "feature-link-removed":
      return textOf(known?.title) ?? textOf(known?.url);
    case "feature-dependency-added":
    case "feature-dependency-removed":
      return parentOf(known);
    case "feature-strategy-add":
    case "feature-strategy-remove": {
      const rollout = isPart(known?.parameters) ? short(known.parameters.rollout) : undefined;
      return rollout && rollout !== "none" ? `rollout ${rollout} %` : undefined;
    }
    case "feature-variants-updated":
    case "feature-environment-variants-updated": {
      const [from, to] = [variantsOf(before), variantsOf(after)];
      return from === to ? (to === "none" ? undefined : `weights or values of ${to}`) : `${from} → ${to}`;
    }
    case "scim-directory-updated":
    case "login-providers-ordered":
      return undefined;
    default:
      return settingsChanged(event);
  }
}

/** "checkout", "checkout is off", "checkout has the variant red": what a dependency asks of its parent. */
function parentOf(dependency: Part | undefined): string | undefined {
  if (typeof dependency?.feature !== "string") return undefined;
  const { feature, enabled, variants } = dependency;
  if (enabled === false) return `${feature} must be off`;
  return Array.isArray(variants) && variants.length ? `${feature} with ${variants.join(" or ")}` : feature;
}

import { eventTypes } from "../../api/generated/operations";

export interface Preset {
  label: string;
  events: readonly string[];
  /** Whether only environments of production count. */
  isProduction?: boolean;
}

const fitting = (pattern: RegExp) => eventTypes.filter((type) => pattern.test(type));

/** Events that are chosen together. */
export const presets: readonly Preset[] = [
  {
    label: "Production changes",
    events: fitting(/^(feature-environment-|feature-strategy-(add|update|remove)|strategy-order-changed)/),
    isProduction: true,
  },
  {
    label: "Access",
    events: fitting(
      /^(project-(access|user|group)-|role-|user-|group-|pat-|api-token-|service-account-|public-signup-|setting-)/,
    ),
  },
  {
    label: "Archive and delete",
    events: fitting(/^(feature-(archived|revived|deleted)$|(?!user|pat|api-token|setting).*-deleted$|drop-)/),
  },
  { label: "Flags", events: fitting(/^feature-(?!favorited|unfavorited|import)/) },
  { label: "Everything", events: eventTypes },
];

const same = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((type) => other.includes(type));

/** The preset that these events are, if they are one. */
export const presetOf = (events: readonly string[]) => presets.find((preset) => same(preset.events, events));

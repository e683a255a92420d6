import { eventTypes } from "../../api/generated/operations";
import { template } from "./sentence";

const label = (type: string) => `${template(type).replace(/\{(\w+)\}/g, "…")} (${type})`;

/** The types of events as their sentences say them, and as the API does. */
export const eventKinds = eventTypes.map((type) => ({ value: type, label: label(type) }));

const groups = [
  { group: "Feature flags", fits: /^(features?-|drop-feature|strategy-order|client-|application-)/ },
  { group: "Projects", fits: /^(projects?-|drop-projects|default-strategy)/ },
  {
    group: "People, roles and tokens",
    fits: /^(user|group|role|pat|api-token|service-account|public-signup|setting)-/,
  },
  { group: "Change requests, signals and actions", fits: /^(change|signal|actions)-/ },
  { group: "Configuration", fits: /^/ },
];

/** The same, each in the group of what it is about. */
export const groupedKinds = groups.map(({ group }) => ({
  group,
  items: eventKinds.filter(({ value }) => groups.find(({ fits }) => fits.test(value))?.group === group),
}));

import type { Planned, Schemas } from "../../api/request";
import { strategyOf } from "../../api/proposals";

type Event = Schemas["Event"];
type Part = Record<string, unknown>;

/** What an event was about, as it stands by now and as it will be when it is put back: both in the same form. */
export function standing(event: Event, feature: Schemas["Feature"], way: Planned): { now: Part; then: Part } {
  const { type, data, preData } = event;
  const here = feature.environments?.find(({ name }) => name === event.environment);
  const id = ((preData ?? data) as { id?: string } | null)?.id;
  const strategy = here?.strategies?.find((one) => one.id === id);
  const body = (way.init.body ?? {}) as Part;
  switch (type) {
    case "feature-environment-enabled":
      return { now: { enabled: here?.enabled }, then: { enabled: false } };
    case "feature-environment-disabled":
      return { now: { enabled: here?.enabled }, then: { enabled: true } };
    case "feature-strategy-add":
      return { now: strategy ? strategyOf(strategy) : {}, then: {} };
    case "feature-strategy-remove":
      return { now: {}, then: body };
    case "feature-strategy-update":
      return { now: strategy ? strategyOf(strategy) : {}, then: body };
    case "feature-environment-variants-updated":
      return { now: { variants: here?.variants ?? [] }, then: { variants: body } };
    case "feature-stale-on":
    case "feature-stale-off":
      return { now: { stale: feature.stale }, then: { stale: type === "feature-stale-off" } };
    default: {
      const now = Object.fromEntries(Object.keys(body).map((name) => [name, feature[name as keyof typeof feature]]));
      return { now, then: body };
    }
  }
}

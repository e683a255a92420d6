import { useSearch } from "@tanstack/react-router";
import { first } from "../../api/address";
import { EventDays } from "../../parts/events/EventDays";
import { Events } from "../../parts/events/Events";
import type { Shown } from "./FeaturePage";

/** What happened to the feature. */
export function History({ feature }: Shown) {
  const search = useSearch({ strict: false });
  const filter = { feature: `IS:${feature.name}` };
  return (
    <>
      <EventDays filter={filter} />
      <Events
        filter={{ ...filter, createdAtFrom: first(search.createdAtFrom), createdAtTo: first(search.createdAtTo) }}
      />
    </>
  );
}

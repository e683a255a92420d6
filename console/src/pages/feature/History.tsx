import { EventDays } from "../../parts/events/EventDays";
import { EventFilters, useEventFilters } from "../../parts/events/EventFilters";
import { Events } from "../../parts/events/Events";
import type { Shown } from "./shown";

/** What happened to the feature. */
export default function History({ feature }: Shown) {
  const filters = useEventFilters();
  const filter = { ...filters.filter, feature: `IS:${feature.name}` };
  return (
    <>
      <EventFilters filters={filters} />
      <EventDays filter={{ ...filter, createdAtFrom: undefined, createdAtTo: undefined }} />
      <Events filter={filter} isOfOneFlag />
    </>
  );
}

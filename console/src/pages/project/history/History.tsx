import { EventDays } from "../../../parts/events/EventDays";
import { EventFilters, useEventFilters } from "../../../parts/events/EventFilters";
import { Events } from "../../../parts/events/Events";
import type { OfProject } from "../shown";

/** What happened in a project. */
export default function History({ projectId }: OfProject) {
  const filters = useEventFilters();
  const filter = { ...filters.filter, project: `IS:${projectId}` };
  return (
    <>
      <EventFilters filters={filters} />
      <EventDays filter={{ ...filter, createdAtFrom: undefined, createdAtTo: undefined }} />
      <Events filter={filter} />
    </>
  );
}

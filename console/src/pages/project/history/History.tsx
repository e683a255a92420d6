import { useSearch } from "@tanstack/react-router";
import { first } from "../../../api/address";
import { EventDays } from "../../../parts/events/EventDays";
import { Events } from "../../../parts/events/Events";
import type { OfProject } from "../ProjectPage";

/** What happened in a project. */
export default function History({ projectId }: OfProject) {
  const search = useSearch({ strict: false });
  const filter = {
    project: `IS:${projectId}`,
    createdAtFrom: first(search.createdAtFrom),
    createdAtTo: first(search.createdAtTo),
  };
  return (
    <>
      <EventDays filter={{ project: filter.project }} />
      <Events filter={filter} />
    </>
  );
}

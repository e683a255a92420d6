import { TextInput, Title } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { first } from "../../api/address";
import { choosing } from "../../api/filters";
import { useProjects } from "../../api/queries";
import { EventDays } from "../../parts/events/EventDays";
import { EventFilters, useEventFilters } from "../../parts/events/EventFilters";
import { Events } from "../../parts/events/Events";
import { FilterChoice } from "../../parts/FilterChoice";
import { useTitle } from "../../parts/title";
import { Waiting } from "../../parts/Waiting";
import { useFeatureNames, useFound } from "./find";
import { FoundBy } from "./FoundBy";
import classes from "./History.module.css";

const only = [choosing[0]];

/** The history of everything that one may see. */
export default function HistoryPage() {
  useTitle("Event log");
  const search = useSearch({ strict: false });
  const projects = useProjects();
  const filters = useEventFilters(["query", "project", "feature"]);
  const { filter, change, choice } = filters;
  const [part, setPart] = useState("");
  const named = useFeatureNames(part);
  const found = useFound(filter, first(search.in));
  const later = useDebouncedCallback((query: string) => change({ query: query || undefined, in: undefined }), 300);
  useEffect(() => () => later.cancel(), [later]);

  return (
    <div className={classes.page}>
      <Title order={1}>Event log</Title>
      <EventFilters
        filters={filters}
        text={
          <TextInput
            key={filter.query === undefined ? "none" : "some"}
            type="search"
            size="xs"
            w={240}
            aria-label="Feature flag, or text in what changed"
            placeholder="Flag, or text in what changed"
            defaultValue={filter.query ?? ""}
            onChange={(event) => later(event.currentTarget.value)}
          />
        }
      >
        <FilterChoice
          label="Project"
          operators={only}
          options={projects.map(({ id, name }) => ({ value: id, label: name }))}
          {...choice("project")}
        />
        <FilterChoice
          label="Feature flag"
          operators={only}
          options={named.data.map((name) => ({ value: name, label: name }))}
          onFind={setPart}
          {...choice("feature")}
        />
      </EventFilters>
      {filter.query && <FoundBy found={found} choose={(by) => change({ in: by })} />}
      {found.isLooking ? (
        <Waiting rows={10} />
      ) : (
        <>
          <EventDays filter={{ ...found.filter, createdAtFrom: undefined, createdAtTo: undefined }} />
          <Events filter={found.filter} />
        </>
      )}
    </div>
  );
}

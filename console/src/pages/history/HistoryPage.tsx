import { Button, Group, Select, TextInput, Title } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { first, type Search } from "../../api/address";
import { choosing, parseFilter } from "../../api/filters";
import { eventTypes } from "../../api/generated/operations";
import { useProjects, useRead } from "../../api/queries";
import { request } from "../../api/request";
import { EventDays } from "../../parts/events/EventDays";
import { Events } from "../../parts/events/Events";
import { FilterChoice } from "../../parts/FilterChoice";
import { useTitle } from "../../parts/title";
import { Waiting } from "../../parts/Waiting";
import { template } from "../../parts/events/sentence";
import { useFeatureNames, useFound } from "./find";
import { FoundBy } from "./FoundBy";
import classes from "./History.module.css";

const names = ["query", "project", "feature", "type", "createdBy", "createdAtFrom", "createdAtTo"] as const;

/** The types of events as their sentences say them, and as the API does. */
const kinds = eventTypes.map((type) => ({
  value: type,
  label: `${template(type).replace(/\{(\w+)\}/g, "…")} (${type})`,
}));

/** The history of everything that one may see. */
export default function HistoryPage() {
  useTitle("Event log");
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const projects = useProjects();
  const creators = useRead(request("get", "/api/admin/event-creators"), { staleTime: 60_000 }).data ?? [];
  const filter = Object.fromEntries(names.map((name) => [name, first(search[name])]));
  const [part, setPart] = useState("");
  const named = useFeatureNames(part);
  const found = useFound(filter, first(search.in));
  const change = (changed: Search) =>
    void navigate({
      to: ".",
      search: (before: Search) => ({ ...before, ...changed, offset: undefined, event: undefined }),
      replace: true,
    });
  const choice = (name: string) => ({
    value: first(search[name]),
    onChange: (value?: string) => change({ [name]: value }),
  });
  const day = (name: string) => first(search[name])?.replace(/^IS:/, "") ?? "";
  const later = useDebouncedCallback((query: string) => change({ query: query || undefined, in: undefined }), 300);
  useEffect(() => () => later.cancel(), [later]);
  const only = [choosing[0]];
  const creator = parseFilter(filter.createdBy)?.values[0] ?? null;

  return (
    <div className={classes.page}>
      <Title order={1}>Event log</Title>
      <Group gap="sm" role="search" aria-label="Events">
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
        <FilterChoice label="Type" operators={only} options={kinds} {...choice("type")} />
        <Select
          aria-label="Who"
          placeholder="Who"
          size="xs"
          w={160}
          searchable
          clearable
          clearButtonProps={{ "aria-label": "Who" }}
          limit={50}
          data={creators.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={creator}
          onChange={(id) => change({ createdBy: id ? `IS:${id}` : undefined })}
        />
        {(["createdAtFrom", "createdAtTo"] as const).map((name) => (
          <TextInput
            key={name}
            type="date"
            size="xs"
            aria-label={name === "createdAtFrom" ? "From this day, in UTC" : "To this day, in UTC"}
            value={day(name)}
            onChange={(event) =>
              change({ [name]: event.currentTarget.value ? `IS:${event.currentTarget.value}` : undefined })
            }
          />
        ))}
        <span className="muted">UTC days</span>
        {names.some((name) => filter[name]) && (
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => change({ ...Object.fromEntries(names.map((name) => [name, undefined])), in: undefined })}
          >
            Clear filters
          </Button>
        )}
      </Group>
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

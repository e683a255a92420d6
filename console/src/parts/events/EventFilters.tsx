import { Button, Group, Select, TextInput } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { first, type Search } from "../../api/address";
import { choosing, parseFilter } from "../../api/filters";
import { useEnvironments, useRead } from "../../api/queries";
import { request } from "../../api/request";
import { FilterChoice } from "../FilterChoice";
import { FilterFold } from "../FilterFold";
import { eventKinds } from "./kinds";

/** Filters of the address that every list of events has. */
const names = ["environment", "type", "createdBy", "createdAtFrom", "createdAtTo"] as const;

const only = [choosing[0]];

/** What the address says of filters, and how to change it: the list begins anew then. */
export function useEventFilters(more: readonly string[] = []) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const filter = Object.fromEntries([...names, ...more].map((name) => [name, first(search[name])]));
  const change = (changed: Search) =>
    void navigate({
      to: ".",
      search: (before: Search) => ({ ...before, ...changed, offset: undefined, event: undefined }),
      replace: true,
    });
  const choice = (name: string) => ({
    value: filter[name],
    onChange: (value?: string) => change({ [name]: value }),
  });
  return { filter, change, choice };
}

interface Props {
  filters: ReturnType<typeof useEventFilters>;
  /** The text that is looked for, which is always in sight. */
  text?: ReactNode;
  /** Filters that only this list has, before the others. */
  children?: ReactNode;
}

/** The filters of a list of events: by environment, type, person and day, and those of the page. */
export function EventFilters({ filters: { filter, change, choice }, text, children }: Props) {
  const environments = useEnvironments();
  const creators = useRead(request("get", "/api/admin/event-creators"), { staleTime: 60_000 }).data ?? [];
  const creator = parseFilter(filter.createdBy)?.values[0] ?? null;
  const day = (name: string) => filter[name]?.replace(/^IS:/, "") ?? "";
  const count = Object.keys(filter).filter((name) => name !== "query" && filter[name]).length;
  return (
    <Group gap="sm" role="search" aria-label="Events">
      {text}
      <FilterFold count={count}>
        {children}
        <FilterChoice
          label="Environment"
          operators={only}
          options={environments.map(({ name }) => ({ value: name, label: name }))}
          {...choice("environment")}
        />
        <FilterChoice label="Type" operators={only} options={eventKinds} {...choice("type")} />
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
        {Object.values(filter).some(Boolean) && (
          <Button
            variant="default"
            size="compact-sm"
            onClick={() =>
              change({ ...Object.fromEntries(Object.keys(filter).map((name) => [name, undefined])), in: undefined })
            }
          >
            Clear filters
          </Button>
        )}
      </FilterFold>
    </Group>
  );
}

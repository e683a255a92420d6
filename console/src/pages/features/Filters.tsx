import { Button, CloseButton, Group, MultiSelect, Select } from "@mantine/core";
import { IconStar, IconStarFilled } from "@tabler/icons-react";
import type { RefObject } from "react";
import { first, several, type Search } from "../../api/address";
import { choosing, including, operatorInWords, parseFilter } from "../../api/filters";
import { useFeatureTypes, useProjects, useRead } from "../../api/queries";
import { request } from "../../api/request";
import { FilterChoice } from "../../parts/FilterChoice";
import { FilterFold } from "../../parts/FilterFold";
import { stages } from "../../words/stages";
import { CreatorChoice } from "./CreatorChoice";
import { DayChoice } from "./DayChoice";
import { filters } from "./query";
import { Words } from "./Words";

interface Props {
  search: Search;
  /** Fixed on the page of a project. */
  projectId?: string;
  environments: readonly { name: string }[];
  change: (changed: Search) => void;
  inputRef: RefObject<HTMLInputElement | null>;
}

const lists = new Set<string>([
  "project",
  "type",
  "tag",
  "segment",
  "createdBy",
  "createdAt",
  "lastSeenAt",
  "lifecycle",
]);

/** Where the name in the address is no word. */
const words: Record<string, string> = {
  createdBy: "creator",
  createdAt: "created",
  lastSeenAt: "last seen",
  lifecycle: "stage",
};

/** What narrows the list. Everything chosen stands in the address. */
export function Filters(props: Props) {
  const { search, change, inputRef } = props;
  const count = filters.filter((name) => name !== "query" && several(search[name]).length > 0).length;
  return (
    <Group gap="sm" role="search" aria-label="Feature flags">
      <Words value={first(search.query) ?? ""} onChange={(query) => change({ query })} inputRef={inputRef} />
      <FilterFold count={count}>
        <Choices {...props} />
      </FilterFold>
    </Group>
  );
}

function Choices({ search, projectId, environments, change }: Props) {
  const projects = useProjects();
  const types = useFeatureTypes();
  const tags = useRead(request("get", "/api/admin/tags"), { staleTime: 60_000 }).data?.tags ?? [];
  const segments = useRead(request("get", "/api/admin/segments"), { staleTime: 60_000 }).data?.segments ?? [];
  const named = (name: string) => first(search[name]);
  const isMarked = named("favorites") === "true";
  const choice = (name: string) => ({ value: named(name), onChange: (value?: string) => change({ [name]: value }) });

  return (
    <>
      {!projectId && (
        <FilterChoice
          label="Project"
          operators={choosing}
          options={projects.map(({ id, name }) => ({ value: id, label: name }))}
          {...choice("project")}
        />
      )}
      <FilterChoice
        label="Type"
        operators={choosing}
        options={types.map(({ id, name }) => ({ value: id, label: name }))}
        {...choice("type")}
      />
      <FilterChoice
        label="Tag"
        operators={including}
        options={tags.map(({ type, value }) => ({ value: `${type}:${value}`, label: `${type}:${value}` }))}
        {...choice("tag")}
      />
      <FilterChoice
        label="Segment"
        operators={including}
        options={segments.map(({ name }) => ({ value: name, label: name }))}
        {...choice("segment")}
      />
      <FilterChoice
        label="Stage"
        operators={choosing}
        options={Object.entries(stages).map(([stage, meaning]) => ({ value: stage, label: stage, meaning }))}
        {...choice("lifecycle")}
      />
      <Select
        aria-label="Stale"
        placeholder="Stale or not"
        size="xs"
        w={140}
        clearable
        clearButtonProps={{ "aria-label": "Stale or not" }}
        data={[
          { value: "IS:active", label: "Not stale" },
          { value: "IS:stale", label: "Stale" },
        ]}
        value={named("state") ?? null}
        onChange={(state) => change({ state: state ?? undefined })}
      />
      <MultiSelect
        aria-label="Switched"
        placeholder={several(search.status).length ? undefined : "On or off"}
        size="xs"
        miw={150}
        maw={360}
        clearable
        clearButtonProps={{ "aria-label": "On or off" }}
        data={environments.flatMap(({ name }) => [
          { value: `${name}:enabled`, label: `On in ${name}` },
          { value: `${name}:disabled`, label: `Off in ${name}` },
        ])}
        value={several(search.status)}
        onChange={(status) => change({ status: status.length ? status : undefined })}
      />
      <CreatorChoice {...choice("createdBy")} />
      <DayChoice label="Created" {...choice("createdAt")} />
      <DayChoice
        label="Last seen"
        help="When any environment was last asked. Flags that were never seen are not found."
        {...choice("lastSeenAt")}
      />
      <Button
        variant="default"
        size="compact-sm"
        aria-pressed={isMarked}
        className={isMarked ? "chosen" : undefined}
        leftSection={isMarked ? <IconStarFilled size={14} aria-hidden /> : <IconStar size={14} aria-hidden />}
        onClick={() => change({ favorites: isMarked ? undefined : "true" })}
      >
        Favourites
      </Button>
    </>
  );
}

function saidOf(name: string, value: string): string {
  if (name === "favorites") return "only favourites";
  const filter = lists.has(name) ? parseFilter(value) : undefined;
  if (!filter) return `${name}: ${value}`;
  return `${words[name] ?? name} ${operatorInWords(filter.operator)} ${filter.values.join(", ")}`;
}

/** Nothing fits: each filter with a way to drop it. */
export function Chosen({ search, change }: Pick<Props, "search" | "change">) {
  const chosen = filters.flatMap((name) => several(search[name]).map((value) => ({ name, value })));
  return (
    <Group gap="sm" justify="center">
      {chosen.map(({ name, value }) => {
        const said = saidOf(name, value);
        return (
          <span key={name + value} className="chip breaks">
            {said}
            <CloseButton size="sm" aria-label={`Drop ${said}`} onClick={() => change({ [name]: undefined })} />
          </span>
        );
      })}
    </Group>
  );
}

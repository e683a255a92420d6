import { CloseButton, Group, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState, type RefObject } from "react";
import { first, several, type Search } from "../../api/address";
import { choosing, including, operatorInWords, parseFilter } from "../../api/filters";
import { useFeatureTypes, useProjects, useRead } from "../../api/queries";
import { request } from "../../api/request";
import { FilterChoice } from "../../parts/FilterChoice";
import { filters } from "./query";

interface Props {
  search: Search;
  /** Fixed on the page of a project. */
  projectId?: string;
  environments: readonly { name: string }[];
  change: (changed: Search) => void;
  inputRef: RefObject<HTMLInputElement | null>;
}

const lists = new Set<string>(["project", "type", "tag", "segment"]);

/** What narrows the list. Everything chosen stands in the address. */
export function Filters({ search, projectId, environments, change, inputRef }: Props) {
  const projects = useProjects();
  const types = useFeatureTypes();
  const tags = useRead(request("get", "/api/admin/tags"), { staleTime: 60_000 }).data?.tags ?? [];
  const segments = useRead(request("get", "/api/admin/segments"), { staleTime: 60_000 }).data?.segments ?? [];
  const named = (name: string) => first(search[name]);
  const choice = (name: string) => ({ value: named(name), onChange: (value?: string) => change({ [name]: value }) });

  return (
    <Group gap="sm" role="search" aria-label="Feature flags">
      <Words value={named("query") ?? ""} onChange={(query) => change({ query })} inputRef={inputRef} />
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
      <Select
        aria-label="Switched"
        placeholder="On or off"
        size="xs"
        w={190}
        clearable
        clearButtonProps={{ "aria-label": "On or off" }}
        data={environments.flatMap(({ name }) => [
          { value: `${name}:enabled`, label: `On in ${name}` },
          { value: `${name}:disabled`, label: `Off in ${name}` },
        ])}
        value={several(search.status)[0] ?? null}
        onChange={(status) => change({ status: status ? [status] : undefined })}
      />
    </Group>
  );
}

function Words({
  value,
  onChange,
  inputRef,
}: {
  value: string;
  onChange: (value: string) => void;
  inputRef: Props["inputRef"];
}) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const [sent, setSent] = useState<readonly string[]>([]);
  if (known !== value) {
    setKnown(value);
    // What was sent comes back through the address while more is typed. Else it changed by other means: by "back", or a
    // filter taken away.
    if (sent.includes(value)) setSent(sent.slice(sent.indexOf(value) + 1));
    else setText(value);
  }
  const later = useDebouncedCallback((query: string) => {
    if (query !== value) setSent((before) => [...before, query]);
    onChange(query);
  }, 50);
  useEffect(() => () => later.cancel(), [later]);
  return (
    <TextInput
      ref={inputRef}
      type="search"
      size="xs"
      w={260}
      aria-label="Part of the name, or of a tag"
      placeholder="Part of the name, or of a tag ( / )"
      leftSection={<IconSearch size={14} aria-hidden />}
      value={text}
      maxLength={1000}
      onChange={(event) => {
        setText(event.currentTarget.value);
        later(event.currentTarget.value);
      }}
    />
  );
}

/** Nothing fits: each filter with a way to drop it. */
export function Chosen({ search, change }: Pick<Props, "search" | "change">) {
  const chosen = filters.flatMap((name) => several(search[name]).map((value) => ({ name, value })));
  return (
    <Group gap="sm" justify="center">
      {chosen.map(({ name, value }) => {
        const filter = lists.has(name) ? parseFilter(value) : undefined;
        const words = filter
          ? `${name} ${operatorInWords(filter.operator)} ${filter.values.join(", ")}`
          : `${name}: ${value}`;
        return (
          <span key={name + value} className="chip breaks">
            {words}
            <CloseButton size="sm" aria-label={`Drop ${words}`} onClick={() => change({ [name]: undefined })} />
          </span>
        );
      })}
    </Group>
  );
}

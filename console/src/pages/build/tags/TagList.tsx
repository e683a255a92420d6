import { Select, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useExactRead, useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { useAddress } from "../../../parts/address";
import areaClasses from "../../../parts/area/Area.module.css";
import { type Column } from "../../../parts/area/Listing";
import { OpenRow } from "../../../parts/area/OpenRow";
import { FormDrawer } from "../../../parts/forms/FormDrawer";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { RemoveButton } from "../../../parts/forms/RemoveButton";
import { Problem } from "../../../parts/Problem";
import { tagInWords } from "../../../parts/tags";
import { BuildList } from "../BuildList";
import { AtField } from "../../../parts/forms/AtField";
import { counted } from "../../../words/counts";

type Tag = Schemas["Tag"];

const create = ({ type, value }: Tag) => request("post", "/api/admin/tags", { body: { type, value: value.trim() } });

const having = (tag: Tag, limit: string) =>
  request("get", "/api/admin/search/features", {
    params: { query: { tag: `INCLUDE:${tagInWords(tag)}`, limit, sortBy: "name" } },
  });

/** All tags, also those that no feature carries. */
export function TagList({ filters }: { filters: ReactNode }) {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/tags"));
  const types = useRead(request("get", "/api/admin/tag-types"), { staleTime: 60_000 }).data?.tagTypes ?? [];
  const tags = read.data?.tags ?? [];
  const close = () => change({ new: undefined, open: undefined });
  const columns: Column<Tag>[] = [
    { head: "Type", cell: ({ type }) => <bdi className="breaks">{type}</bdi> },
    {
      head: "Tag",
      cell: (tag) => <OpenRow name={tag.value} onClick={() => change({ open: tagInWords(tag) })} />,
    },
    {
      head: <span className="visually-hidden">Feature flags</span>,
      wide: true,
      cell: (tag) => (
        <Link to="/features" search={{ tag: `INCLUDE_ANY_OF:${tagInWords(tag)}` } as never}>
          Flags with <bdi>{tagInWords(tag)}</bdi>
        </Link>
      ),
    },
  ];
  const opened = tags.find((tag) => tagInWords(tag) === get("open"));
  return (
    <BuildList
      title="Tags"
      one="tag"
      read={read}
      items={tags}
      keyOf={tagInWords}
      texts={(tag) => [tagInWords(tag)]}
      columns={columns}
      create={create({ type: "…", value: "…" })}
      filters={filters}
      empty="There is no tag yet. Flags can be given one on their pages, too."
    >
      {get("new") !== undefined && (
        <NewDrawer
          title="New tag"
          initial={{ type: types[0]?.name ?? "simple", value: "" }}
          plan={create}
          action={({ value }) => `Create ${value.trim() || "it"}`}
          done={(tag) => `The tag ${tagInWords(tag)} was created.`}
          objection={({ value }) => (value.trim().length < 2 ? "A tag has at least two characters." : undefined)}
          onClose={close}
        >
          {(tag, edit) => (
            <>
              <AtField of="type">
                <Select
                  label="Type"
                  allowDeselect={false}
                  searchable
                  limit={50}
                  data={[...new Set([...types.map(({ name }) => name), tag.type])]}
                  value={tag.type}
                  onChange={(type) => type && edit({ type })}
                />
              </AtField>
              <AtField of="value">
                <TextInput
                  data-autofocus
                  label="Tag"
                  required
                  minLength={2}
                  maxLength={50}
                  value={tag.value}
                  onChange={(event) => edit({ value: event.currentTarget.value })}
                />
              </AtField>
            </>
          )}
        </NewDrawer>
      )}
      {opened && <TagDrawer key={tagInWords(opened)} tag={opened} onClose={close} />}
    </BuildList>
  );
}

function TagDrawer({ tag, onClose }: { tag: Tag; onClose: () => void }) {
  const read = useExactRead(having(tag, "20"));
  const found = read.data;
  const removal = request("delete", "/api/admin/tags/{type}/{value}", { params: { path: tag } });
  return (
    <FormDrawer title={tagInWords(tag)} onClose={onClose}>
      <Problem error={read.error} again={() => void read.refetch()} />
      {found && <Carriers features={found.features} total={found.total ?? 0} />}
      <section className={areaClasses.section} aria-label="Delete">
        <RemoveButton
          what="tag"
          name={tagInWords(tag)}
          request={removal}
          consequence={
            found?.total
              ? `${counted(found.total, "flag")} that you may see lose it; each leaves an event.`
              : "No flag that you may see has it."
          }
          onRemoved={onClose}
        />
      </section>
    </FormDrawer>
  );
}

/** The features that carry something, as many as can be read. */
export function Carriers({ features, total }: { features: Schemas["SearchFeature"][]; total: number }) {
  if (total === 0) return <p>No flag that you may see has it.</p>;
  return (
    <>
      <p>
        {total === 1 ? "One flag has it" : `${counted(total, "flag")} have it`}
        {total > features.length && `, such as`}:
      </p>
      <ul>
        {features.map(({ name, project }) => (
          <li key={`${project}/${name}`} className="breaks">
            <Link to="/projects/$projectId/features/$featureName" params={{ projectId: project, featureName: name }}>
              <bdi>{name}</bdi>
            </Link>{" "}
            of <bdi>{project}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}

import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { useAddress } from "../../../parts/address";
import areaClasses from "../../../parts/area/Area.module.css";
import { type Column } from "../../../parts/area/Listing";
import { OpenRow } from "../../../parts/area/OpenRow";
import { EditDrawer } from "../../../parts/forms/EditDrawer";
import { NewDrawer } from "../../../parts/forms/NewDrawer";
import { RemoveButton } from "../../../parts/forms/RemoveButton";
import { BuildList } from "../BuildList";
import { AtField } from "../../../parts/forms/AtField";
import { DescriptionField } from "../../../parts/forms/DescriptionField";

type Draft = { name: string; description: string; icon: string };

const nothing: Draft = { name: "", description: "", icon: "" };
const bodyOf = ({ description, icon }: Draft) => ({ description, icon: icon || null });
const create = (draft: Draft) =>
  request("post", "/api/admin/tag-types", { body: { name: draft.name.trim(), ...bodyOf(draft) } });
const one = "/api/admin/tag-types/{tagType}";

/** The kinds that tags are of. */
export function TagTypeList({ filters }: { filters: ReactNode }) {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/tag-types"));
  const tags = useRead(request("get", "/api/admin/tags"), { staleTime: 60_000 }).data?.tags ?? [];
  const counts = new Map<string, number>();
  for (const { type } of tags) counts.set(type, (counts.get(type) ?? 0) + 1);
  const close = () => change({ new: undefined, open: undefined });
  const columns: Column<Schemas["TagType"]>[] = [
    {
      head: "Name",
      cell: ({ name, description }) => (
        <OpenRow name={name} note={description} onClick={() => change({ open: name })} />
      ),
    },
    { head: "Tags", cell: ({ name }) => <span className="figures">{counts.get(name) ?? 0}</span> },
    { head: "Symbol", wide: true, cell: ({ icon }) => <bdi className="breaks">{icon || "–"}</bdi> },
  ];
  const name = get("open");
  const params = { path: { tagType: name ?? "" } };
  return (
    <BuildList
      title="Tag types"
      one="tag type"
      read={read}
      items={read.data?.tagTypes ?? []}
      keyOf={(type) => type.name}
      texts={(type) => [type.name, type.description]}
      columns={columns}
      create={create({ ...nothing, name: "…" })}
      filters={filters}
      empty="There is no tag type."
    >
      {get("new") !== undefined && (
        <NewDrawer
          title="New tag type"
          initial={nothing}
          plan={create}
          action={(draft) => `Create ${draft.name.trim() || "it"}`}
          done={(draft) => `The tag type ${draft.name.trim()} was created.`}
          objection={(draft) => (draft.name.trim().length < 2 ? "A name has at least two characters." : undefined)}
          onClose={close}
        >
          {(draft, edit) => (
            <>
              <AtField of="name" use={(name) => edit({ name })}>
                <TextInput
                  data-autofocus
                  label="Name"
                  description="What stands before the colon. It cannot be changed later."
                  required
                  minLength={2}
                  maxLength={50}
                  spellCheck={false}
                  value={draft.name}
                  onChange={(event) => edit({ name: event.currentTarget.value })}
                />
              </AtField>
              <Fields draft={draft} change={edit} />
            </>
          )}
        </NewDrawer>
      )}
      {name && (
        <EditDrawer
          key={name}
          title={name}
          read={request("get", one, { params })}
          valuesOf={({ tagType }): Draft => ({
            name: tagType.name,
            description: tagType.description ?? "",
            icon: tagType.icon ?? "",
          })}
          plan={(draft) => request("put", one, { params, body: bodyOf(draft) })}
          events={{ type: "IS:tag-type-updated", query: name }}
          done="The tag type is saved."
          onClose={close}
          below={() => (
            <section className={areaClasses.section} aria-label="Delete">
              <RemoveButton
                what="tag type"
                name={name}
                request={request("delete", one, { params })}
                seen={request("get", one, { params })}
                consequence={
                  counts.get(name)
                    ? `Its ${counts.get(name)} tags go with it, once no flag carries them.`
                    : "No tag is of it."
                }
                onRemoved={close}
              />
            </section>
          )}
        >
          {(draft, edit) => <Fields draft={draft} change={edit} />}
        </EditDrawer>
      )}
    </BuildList>
  );
}

function Fields({ draft, change }: { draft: Draft; change: (changed: Partial<Draft>) => void }) {
  return (
    <>
      <DescriptionField value={draft.description} onChange={(description) => change({ description })} most={1000} />
      <AtField of="icon">
        <TextInput
          label="Symbol"
          description="Shown beside such tags by applications that know it."
          maxLength={255}
          value={draft.icon}
          onChange={(event) => change({ icon: event.currentTarget.value })}
        />
      </AtField>
    </>
  );
}

import { Switch, TextInput } from "@mantine/core";
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
import { Uses } from "../Uses";
import { usedIn } from "../uses";
import { LegalValues } from "./LegalValues";
import { AtField } from "../../../parts/forms/AtField";
import { DescriptionField } from "../../../parts/forms/DescriptionField";

type Field = Schemas["ContextField"];
type Draft = { name: string; description: string; stickiness: boolean; legalValues: Schemas["LegalValue"][] };

const nothing: Draft = { name: "", description: "", stickiness: false, legalValues: [] };

const bodyOf = ({ description, stickiness, legalValues }: Draft) => ({
  description: description || null,
  stickiness,
  legalValues: legalValues.map(({ value, description: about }) => ({ value, description: about || undefined })),
});

const create = (draft: Draft) =>
  request("post", "/api/admin/context", { body: { name: draft.name.trim(), ...bodyOf(draft) } });

const one = "/api/admin/context/{contextField}";

/** What programs tell of their users, and conditions look at. */
export function ContextFields() {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/context"));
  const fields = read.data ?? [];
  const close = () => change({ new: undefined, open: undefined });
  const columns: Column<Field>[] = [
    {
      head: "Name",
      cell: ({ name, description }) => (
        <OpenRow name={name} note={description} onClick={() => change({ open: name })} />
      ),
    },
    { head: "Stickiness", wide: true, cell: ({ stickiness }) => (stickiness ? "yes" : "–") },
    {
      head: "Values",
      wide: true,
      cell: ({ legalValues }) => (legalValues?.length ? `one of ${legalValues.length}` : "any"),
    },
    { head: "Used by", cell: ({ usedInFeatures, usedInProjects }) => usedIn(usedInFeatures, usedInProjects) },
  ];
  const name = get("open");
  const listed = fields.find((field) => field.name === name);
  const params = { path: { contextField: name ?? "" } };

  return (
    <BuildList
      title="Context fields"
      one="context field"
      read={read}
      items={fields}
      keyOf={(field) => field.name}
      texts={(field) => [field.name, field.description]}
      columns={columns}
      create={create(nothing)}
      empty="There is no context field."
    >
      {get("new") !== undefined && (
        <NewDrawer
          title="New context field"
          initial={nothing}
          plan={create}
          action={(draft) => `Create ${draft.name.trim() || "it"}`}
          done={(draft) => `The context field ${draft.name.trim()} was created.`}
          objection={(draft) => (draft.name.trim() ? undefined : "A name is missing.")}
          onClose={close}
        >
          {(draft, edit) => (
            <>
              <AtField of="name" use={(name) => edit({ name })}>
                <TextInput
                  data-autofocus
                  label="Name"
                  description="As applications tell it. It cannot be changed later."
                  required
                  maxLength={100}
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
          valuesOf={(field): Draft => ({
            name: field.name,
            description: field.description ?? "",
            stickiness: field.stickiness ?? false,
            legalValues: field.legalValues ?? [],
          })}
          plan={(draft) => request("put", one, { params, body: bodyOf(draft) })}
          events={{ type: "IS:context-field-updated", query: name }}
          done="The context field is saved."
          onClose={close}
          below={(field) => (
            <>
              <Uses read={request("get", "/api/admin/context/{contextField}/strategies", { params })} />
              <section className={areaClasses.section} aria-label="Delete">
                <RemoveButton
                  what="context field"
                  name={field.name}
                  request={request("delete", one, { params })}
                  seen={request("get", one, { params })}
                  consequence={
                    listed?.usedInFeatures
                      ? `It is used by ${usedIn(listed.usedInFeatures, listed.usedInProjects)}, and can be deleted once nothing uses it.`
                      : "No constraint that you may see names it."
                  }
                  onRemoved={close}
                />
              </section>
            </>
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
      <DescriptionField value={draft.description} onChange={(description) => change({ description })} most={250} />
      <Switch
        label="Stickiness: rollouts may use it"
        description="Users with the same value get the same answer."
        checked={draft.stickiness}
        onChange={(event) => change({ stickiness: event.currentTarget.checked })}
      />
      <LegalValues values={draft.legalValues} change={(legalValues) => change({ legalValues })} />
    </>
  );
}

import { NumberInput, Switch, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { useAct } from "../../../parts/act";
import { useAddress } from "../../../parts/address";
import { type Column } from "../../../parts/area/Listing";
import { OpenRow } from "../../../parts/area/OpenRow";
import { Form, FormDrawer } from "../../../parts/forms/FormDrawer";
import { BuildList } from "../BuildList";
import { counted } from "../../../words/counts";

type Type = Schemas["FeatureType"];

const inWords = (days: number | null) => (days ? counted(days, "day") : "meant to stay");

/** Kinds of features, and how long each is meant to live. */
export function FeatureTypes() {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/feature-types"));
  const types = read.data?.types ?? [];
  const columns: Column<Type>[] = [
    {
      head: "Name",
      cell: ({ id, name, description }) => (
        <OpenRow name={name} note={description} onClick={() => change({ open: id })} />
      ),
    },
    { head: "Lifetime", cell: ({ lifetimeDays }) => inWords(lifetimeDays) },
    {
      head: <span className="visually-hidden">Feature flags</span>,
      wide: true,
      cell: ({ id, name }) => (
        <Link to="/features" search={{ type: `IS_ANY_OF:${id}` } as never}>
          Flags of type {name}
        </Link>
      ),
    },
  ];
  const opened = types.find(({ id }) => id === get("open"));
  return (
    <BuildList
      title="Flag types"
      one="flag type"
      read={read}
      items={types}
      keyOf={({ id }) => id}
      texts={({ id, name, description }) => [id, name, description]}
      columns={columns}
      empty="There is no flag type."
    >
      {opened && <Lifetime key={opened.id} type={opened} onClose={() => change({ open: undefined })} />}
    </BuildList>
  );
}

function Lifetime({ type: { id, name, lifetimeDays }, onClose }: { type: Type; onClose: () => void }) {
  const [days, setDays] = useState(lifetimeDays || null);
  const { act, busy, error } = useAct({ inline: true });
  const found = useRead(
    request("get", "/api/admin/search/features", { params: { query: { type: `IS:${id}`, limit: "1" } } }),
  );
  const plan = (value: number | null) =>
    request("put", "/api/admin/feature-types/{featureTypeId}/lifetime", {
      params: { path: { featureTypeId: id } },
      body: { lifetimeDays: value },
    });

  async function save() {
    const done = await act({
      request: plan(days),
      done: `${name} flags: ${inWords(days)}.`,
      undo: plan(lifetimeDays),
    });
    if (done) onClose();
  }

  return (
    <FormDrawer title={`Lifetime of ${name} flags`} onClose={onClose}>
      <Form
        request={plan(days)}
        action="Save"
        busy={busy}
        error={error}
        because={days === (lifetimeDays || null) ? "Nothing is changed yet." : undefined}
        onSubmit={() => void save()}
        onCancel={onClose}
      >
        <Text size="sm">
          Older flags are potentially stale, and count in the health of their project.
          {found.data && !found.isPlaceholderData && ` ${found.data.total} flags are of this type.`}
        </Text>
        <Switch
          label="Meant to stay"
          checked={days === null}
          onChange={(event) => setDays(event.currentTarget.checked ? null : lifetimeDays || 40)}
        />
        {days !== null && (
          <NumberInput
            label="Lifetime in days"
            min={1}
            max={36_500}
            allowDecimal={false}
            value={days}
            onChange={(value) => setDays(Number(value) || 1)}
          />
        )}
      </Form>
    </FormDrawer>
  );
}

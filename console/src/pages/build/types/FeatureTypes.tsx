import { NumberInput, Switch, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRead } from "../../../api/queries";
import { request, type Schemas } from "../../../api/request";
import { useAddress } from "../../../parts/address";
import { type Column } from "../../../parts/area/Listing";
import { OpenRow } from "../../../parts/area/OpenRow";
import { ChangeDrawer } from "../../../parts/forms/ChangeDrawer";
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
  const found = useRead(
    request("get", "/api/admin/search/features", { params: { query: { type: `IS:${id}`, limit: "1" } } }),
  );
  return (
    <ChangeDrawer
      title={`Lifetime of ${name} flags`}
      stored={{ days: lifetimeDays || null }}
      plan={({ days }) =>
        request("put", "/api/admin/feature-types/{featureTypeId}/lifetime", {
          params: { path: { featureTypeId: id } },
          body: { lifetimeDays: days },
        })
      }
      done={({ days }) => `${name} flags: ${inWords(days)}.`}
      onClose={onClose}
    >
      {({ days }, change) => (
        <>
          <Text size="sm">
            Older flags are potentially stale, and count in the health of their project.
            {found.data && !found.isPlaceholderData && ` ${found.data.total} flags are of this type.`}
          </Text>
          <Switch
            label="Meant to stay"
            checked={days === null}
            onChange={(event) => change({ days: event.currentTarget.checked ? null : lifetimeDays || 40 })}
          />
          {days !== null && (
            <NumberInput
              label="Lifetime in days"
              min={1}
              max={36_500}
              allowDecimal={false}
              value={days}
              onChange={(value) => change({ days: Number(value) || 1 })}
            />
          )}
        </>
      )}
    </ChangeDrawer>
  );
}

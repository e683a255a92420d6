import { Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { useAddress } from "../../parts/address";
import { Area } from "../../parts/area/Area";
import { Listing, type Column } from "../../parts/area/Listing";
import { SearchField, holds } from "../../parts/area/SearchField";
import { Moment } from "../../parts/Moment";
import { programTabs } from "./tabs";

type Unknown = Schemas["UnknownFlag"];

/** Names that applications ask for and that are no flag: misspelt, deleted, or of another project. */
export default function UnknownFlagsPage() {
  const { get } = useAddress();
  const read = useRead(request("get", "/api/admin/metrics/unknown-flags"));
  const query = get("query");
  const flags = (read.data?.unknownFlags ?? []).filter(({ name, reports }) =>
    holds(query, name, ...reports.map(({ appName }) => appName)),
  );
  return (
    <Area title="Unknown flags" tabs={programTabs} fills>
      <p className="muted">
        Applications asked for these names in the last seven days, and there is no such flag in the projects of their
        token: it is misspelt, was deleted, or belongs to another project.
      </p>
      <Group gap="sm" role="search" aria-label="Unknown flags">
        <SearchField label="Part of the name, or application" />
      </Group>
      <Listing
        label="Unknown flags"
        read={read}
        items={flags}
        keyOf={({ name }) => name}
        columns={columns}
        empty={query ? "No unknown flag fits." : "Every flag that applications asked for exists."}
      />
    </Area>
  );
}

const columns: Column<Unknown>[] = [
  { head: "Name", cell: ({ name }) => <bdi className="breaks">{name}</bdi> },
  {
    head: "Applications",
    cell: ({ reports }) => (
      <div>
        {reports.map(({ appName, environments }) => (
          <div key={appName} className="breaks">
            <Link to="/applications/$appName" params={{ appName }}>
              <bdi>{appName}</bdi>
            </Link>{" "}
            in {environments.map(({ environment }) => environment).join(", ")}
          </div>
        ))}
      </div>
    ),
  },
  { head: "Last asked for", cell: ({ lastSeenAt }) => <Moment at={lastSeenAt} /> },
  {
    head: "Last event",
    wide: true,
    cell: ({ name, lastEventAt }) =>
      lastEventAt ? (
        <Link to="/history" search={{ feature: `IS:${name}` } as never}>
          <Moment at={lastEventAt} />
        </Link>
      ) : (
        <span className="muted">never existed</span>
      ),
  },
];

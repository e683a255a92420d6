import { Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { useAddress } from "../../parts/address";
import { Area } from "../../parts/area/Area";
import { Listing, type Column } from "../../parts/area/Listing";
import { SearchField, holds } from "../../parts/area/SearchField";
import { programTabs } from "./tabs";

type Outdated = Schemas["OutdatedSdk"];

/** SDKs older than the version that the server recommends, and the applications that use them. */
export default function OutdatedSdksPage() {
  const { get } = useAddress();
  const read = useRead(request("get", "/api/admin/metrics/sdks/outdated"));
  const query = get("query");
  const sdks = (read.data?.sdks ?? []).filter(({ sdkVersion, applications }) =>
    holds(query, sdkVersion, ...applications),
  );
  return (
    <Area title="Outdated SDKs" tabs={programTabs} fills>
      <Group gap="sm" role="search" aria-label="Outdated SDKs">
        <SearchField label="Part of the SDK, or application" />
      </Group>
      <Listing
        label="Outdated SDKs"
        read={read}
        items={sdks}
        keyOf={({ sdkVersion }) => sdkVersion}
        columns={columns}
        empty={query ? "No outdated SDK fits." : "No application that registered uses an outdated SDK."}
      />
    </Area>
  );
}

const columns: Column<Outdated>[] = [
  { head: "SDK", cell: ({ sdkVersion }) => <bdi className="breaks">{sdkVersion.split(":")[0]}</bdi> },
  { head: "Version", cell: ({ sdkVersion }) => sdkVersion.split(":")[1] ?? "–" },
  {
    head: "Used by",
    cell: ({ applications }) => (
      <div>
        {applications.map((appName) => (
          <div key={appName} className="breaks">
            <Link to="/applications/$appName" params={{ appName }}>
              <bdi>{appName}</bdi>
            </Link>
          </div>
        ))}
      </div>
    ),
  },
];

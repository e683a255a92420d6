import { Group } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Link, useNavigate } from "@tanstack/react-router";
import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { useAddress } from "../../parts/address";
import { Area } from "../../parts/area/Area";
import { Listing, type Column } from "../../parts/area/Listing";
import { SearchField } from "../../parts/area/SearchField";
import { Moment } from "../../parts/Moment";
import { Turning } from "../../parts/Turning";
import { programTabs } from "./tabs";
import { number } from "../../words/counts";

type Application = Schemas["Application"];

const pageSize = 100;

/** The programs that ask for features. */
export default function ApplicationsPage() {
  const { get, change } = useAddress();
  const navigate = useNavigate();
  const offset = Number(get("offset") ?? "0") || 0;
  const [query] = useDebouncedValue(get("query"), 200);
  const read = useRead(
    request("get", "/api/admin/metrics/applications", {
      params: { query: { query: query || undefined, limit: String(pageSize), offset: String(offset) } },
    }),
  );
  const applications = read.data?.applications ?? [];
  const total = read.data?.total ?? 0;
  const columns: Column<Application>[] = [
    {
      head: "Name",
      cell: ({ appName, description }) => (
        <>
          <Link to="/applications/$appName" params={{ appName }} className="breaks">
            <bdi>{appName}</bdi>
          </Link>
          {description && (
            <div className="muted breaks">
              <bdi>{description}</bdi>
            </div>
          )}
        </>
      ),
    },
    {
      head: "Uses flags of",
      wide: true,
      cell: ({ usage }) =>
        usage.length === 0 ? (
          <span className="muted">none that you may see</span>
        ) : (
          usage.map(({ project, environments }) => (
            <div key={project} className="breaks">
              <bdi>{project}</bdi> in {environments.join(", ")}
            </div>
          ))
        ),
    },
    { head: "Known since", wide: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { head: "Last seen", cell: ({ seenAt }) => <Moment at={seenAt} /> },
  ];
  return (
    <Area title="Applications" tabs={programTabs} fills>
      <Group gap="sm" role="search" aria-label="Applications">
        <SearchField />
      </Group>
      <Listing
        label="Applications"
        read={read}
        items={applications}
        keyOf={({ appName }) => appName}
        columns={columns}
        open={({ appName }) => void navigate({ to: "/applications/$appName", params: { appName } })}
        empty={
          query ? (
            `No application is called anything with “${query}”.`
          ) : (
            <>
              No application has registered yet. It does so by itself once it asks with a{" "}
              <Link to="/tokens">token</Link>.
            </>
          )
        }
      />
      {total > pageSize && (
        <Group gap="sm" justify="flex-end">
          <span role="status" className="muted figures">
            {number(offset + 1)}–{number(offset + applications.length)} of {number(total)}
          </span>
          <Turning
            {...{ offset, total, pageSize }}
            count={applications.length}
            turn={(to) => change({ offset: String(to) })}
          />
        </Group>
      )}
    </Area>
  );
}

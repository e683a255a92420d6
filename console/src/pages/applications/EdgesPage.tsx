import { useRead } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { Area } from "../../parts/area/Area";
import { Listing, type Column } from "../../parts/area/Listing";
import { Moment } from "../../parts/Moment";
import { ageOf } from "./edges";
import { programTabs } from "./tabs";

type Edge = Schemas["Edge"];
type Behind = Schemas["EdgeBehind"];

/** Edges tell about themselves once a minute. */
const minute = 60_000;

/** The edges that serve programs in the server's place. */
export default function EdgesPage() {
  const read = useRead(request("get", "/api/admin/metrics/edges"), { refetchInterval: minute });
  return (
    <Area title="Edges" tabs={programTabs} fills>
      <Listing
        label="Edges"
        read={read}
        items={read.data?.edges ?? []}
        keyOf={({ appName, instanceId, environment }) => JSON.stringify([appName, instanceId, environment])}
        columns={columns}
        empty="No edge reported to this server in the last week. An edge does so once a minute."
      />
    </Area>
  );
}

const columns: Column<Edge>[] = [
  {
    head: "Name",
    cell: (edge) => (
      <>
        <Name {...edge} />
        <div className="muted breaks">
          <bdi>{[edge.region, edge.environment].filter(Boolean).join(", ")}</bdi>
        </div>
        {edge.edges.map((behind) => (
          <Beyond key={`${behind.appName} ${behind.instanceId}`} {...behind} />
        ))}
      </>
    ),
  },
  { head: "State", cell: (edge) => <State {...edge} /> },
  { head: "Version", wide: true, cell: ({ version }) => version ?? <span className="muted">not told</span> },
  { head: "Applications", cell: ({ connectedPrograms }) => <Count of={connectedPrograms} /> },
  { head: "Streams", wide: true, cell: ({ connectedStreams }) => <Count of={connectedStreams} /> },
  { head: "Last report", wide: true, cell: ({ lastSeenAt }) => <Moment at={lastSeenAt} /> },
];

function Name({ appName, instanceId }: Pick<Edge, "appName" | "instanceId">) {
  return (
    <span className="breaks">
      <bdi>{appName}</bdi> <bdi className="muted">{instanceId}</bdi>
    </span>
  );
}

function Beyond({ appName, instanceId, version, connectedPrograms, edgesBehind }: Behind) {
  const told = [
    version,
    connectedPrograms === null ? undefined : `${connectedPrograms} applications`,
    edgesBehind > 0 ? `${edgesBehind} edges behind it` : undefined,
  ];
  return (
    <div className="breaks">
      <span className="muted">behind it: </span>
      <Name appName={appName} instanceId={instanceId} />{" "}
      <span className="muted">{told.filter(Boolean).join(", ")}</span>
    </div>
  );
}

function State({ outOfSightSince, ready, stateAgeSeconds }: Edge) {
  if (outOfSightSince) {
    return (
      <span className="warning">
        Stopped reporting, last report <Moment at={outOfSightSince} />
      </span>
    );
  }
  if (ready === false) return <span className="warning">Not ready</span>;
  const age = stateAgeSeconds === null ? undefined : ageOf(stateAgeSeconds);
  return (
    <>
      {ready ? "Ready" : "In sight"}
      {age && <div className="muted">{age}</div>}
    </>
  );
}

function Count({ of }: { of: number | null }) {
  return of === null ? <span className="muted">not told</span> : <span className="figures">{of}</span>;
}

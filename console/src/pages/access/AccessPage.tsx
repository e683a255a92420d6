import { Button, Group, MultiSelect } from "@mantine/core";
import { useState } from "react";
import { send } from "../../api/client";
import { useProjects, useRead, useReads } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { useAddress } from "../../parts/address";
import { Area } from "../../parts/area/Area";
import { Listing, type Column } from "../../parts/area/Listing";
import { OpenRow } from "../../parts/area/OpenRow";
import { SearchField, holds } from "../../parts/area/SearchField";
import { saveAsCsv } from "../../parts/csv";
import { tellFailure } from "../../parts/notices";
import { nameOf, peopleTabs } from "../../parts/people";
import { Problem } from "../../parts/Problem";
import { auditRows, inWords, projectHoldings, rootHoldings, type Holding } from "./access";
import { PersonDrawer } from "./PersonDrawer";

type Person = Schemas["UserEntry"];

/** As many columns as can be read. */
const most = 6;

const accessTo = (projectId: string) =>
  request("get", "/api/admin/projects/{projectId}/access", { params: { path: { projectId } } });

/** Who holds which role where, and what that lets them do. */
export default function AccessPage() {
  const { get, change } = useAddress();
  const read = useRead(request("get", "/api/admin/user-admin/access"));
  const known = useRead(request("get", "/api/admin/roles"));
  const all = useProjects();
  const named = get("project")?.split(",").filter(Boolean) ?? [];
  const shown = all.filter(({ id }) => named.length === 0 || named.includes(id)).slice(0, most);
  const access = useReads(shown.map(({ id }) => accessTo(id)));
  const [isWriting, setWriting] = useState(false);

  const roles = known.data?.roles ?? [];
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  const groups = read.data?.groups ?? [];
  const people = (read.data?.users ?? [])
    .filter((person) => holds(get("query"), person.name, person.username, person.email))
    .sort((one, other) => nameOf(one).localeCompare(nameOf(other)));
  const open = (person: Person, project?: string) => change({ user: String(person.id), in: project });

  async function save() {
    setWriting(true);
    try {
      const found: { id: string; access: Schemas["ProjectAccess"] }[] = [];
      for (const { id } of all) found.push({ id, access: (await send(accessTo(id))).data });
      const rows = people.map((person) => ({
        person: { ...person, name: nameOf(person), email: person.email ?? "" },
        root: rootHoldings(person, groups),
        projects: found.map((one) => ({ id: one.id, holdings: projectHoldings(person, one.access) })),
      }));
      saveAsCsv("access", auditRows(rows, roles));
    } catch (failure) {
      tellFailure(failure);
    } finally {
      setWriting(false);
    }
  }

  const columns: Column<Person>[] = [
    {
      head: "Person",
      cell: (person) => (
        <OpenRow
          name={nameOf(person)}
          note={person.accountType === "Service Account" ? "service account" : person.email}
          onClick={() => open(person)}
        />
      ),
    },
    { head: "Whole instance", cell: (person) => <Holdings holdings={rootHoldings(person, groups)} names={names} /> },
    ...shown.map(({ name }, at) => ({
      head: <bdi>{name}</bdi>,
      label: name,
      wide: at > 0,
      cell: (person: Person) => {
        const here = access.data[at];
        return here ? <Holdings holdings={projectHoldings(person, here)} names={names} /> : <span>…</span>;
      },
    })),
  ];

  const person = read.data?.users.find(({ id }) => String(id) === get("user"));
  return (
    <Area
      title="Access"
      tabs={peopleTabs}
      fills
      action={
        <Button variant="default" loading={isWriting} disabled={!read.data || !known.data} onClick={() => void save()}>
          Save as CSV
        </Button>
      }
    >
      <Group gap="sm" role="search" aria-label="Access">
        <SearchField label="Name or email" />
        <MultiSelect
          aria-label="Projects"
          placeholder={named.length ? undefined : `The first ${Math.min(most, all.length)} projects`}
          size="xs"
          miw={220}
          maxValues={most}
          searchable
          limit={50}
          data={all.map(({ id, name }) => ({ value: id, label: name }))}
          value={named}
          onChange={(ids) => change({ project: ids.join(",") || undefined })}
        />
        <span className="muted">
          The CSV file has the people shown with all {all.length} projects: a line for each role of a person.
        </span>
      </Group>
      <Problem
        error={known.error ?? access.error}
        again={() => {
          access.refetch();
          if (known.error) void known.refetch();
        }}
      />
      {!known.error && (
        <Listing
          label="Access"
          read={read}
          items={people}
          keyOf={({ id }) => String(id)}
          columns={columns}
          open={(one) => open(one)}
          empty="Nobody fits what is searched for."
        />
      )}
      {person && (
        <PersonDrawer
          key={person.id}
          person={person}
          groups={groups}
          onClose={() => change({ user: undefined, in: undefined, environment: undefined })}
        />
      )}
    </Area>
  );
}

function Holdings({ holdings, names }: { holdings: Holding[]; names: ReadonlyMap<number, string> }) {
  if (holdings.length === 0) return <span className="muted">–</span>;
  return (
    <>
      {holdings.map((holding) => (
        <div key={inWords(holding, names)} className="breaks">
          <bdi>{inWords(holding, names)}</bdi>
        </div>
      ))}
    </>
  );
}

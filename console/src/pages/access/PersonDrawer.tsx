import { Group, Select, Stack, Switch, Text } from "@mantine/core";
import { useState } from "react";
import { useEnvironments, useProjects, useRead, useReads } from "../../api/queries";
import { request, type Schemas } from "../../api/request";
import { useAddress } from "../../parts/address";
import { environmentOption } from "../../parts/EnvironmentName";
import { FormDrawer } from "../../parts/forms/FormDrawer";
import { nameOf } from "../../parts/people";
import { Problem } from "../../parts/Problem";
import { RequestPreview } from "../../parts/requests/RequestPreview";
import { Waiting } from "../../parts/Waiting";
import { inWords, projectHoldings, rootHoldings, sourcesOf } from "./access";
import { permissionName } from "../../words/permissions";
import classes from "./Access.module.css";

type Standing = Schemas["PermissionStanding"];

interface Props {
  person: Schemas["UserEntry"];
  groups: Schemas["GroupOverview"][];
  onClose: () => void;
}

/** What somebody may do somewhere, and by which role. */
export function PersonDrawer({ person, groups, onClose }: Props) {
  const { get, change } = useAddress();
  const project = get("in");
  const environment = project ? get("environment") : undefined;
  const [isAll, setAll] = useState(false);
  const projects = useProjects();
  const environments = useEnvironments();
  const isProgram = person.accountType === "Service Account";
  const where = { params: { path: { id: person.id }, query: { project, environment } } };
  const ofPerson = request("get", "/api/admin/user-admin/{id}/permissions", where);
  const ofProgram = request("get", "/api/admin/service-account/{id}/permissions", where);
  const asking = isProgram ? ofProgram : ofPerson;
  const reads = [useRead(ofPerson, { enabled: !isProgram }), useRead(ofProgram, { enabled: isProgram })] as const;
  const read = isProgram ? reads[1] : reads[0];
  const overview = isProgram ? reads[1].data?.matrix : reads[0].data?.overview;
  const access = useReads(
    project
      ? [request("get", "/api/admin/projects/{projectId}/access", { params: { path: { projectId: project } } })]
      : [],
  );
  const inProject = access.data[0];
  const holdings = [...rootHoldings(person, groups), ...(inProject ? projectHoldings(person, inProject) : [])];
  const ids = [...new Set(holdings.map(({ role }) => role))];
  const details = useReads(
    ids.map((roleId) => request("get", "/api/admin/roles/{roleId}", { params: { path: { roleId } } })),
  );
  const roles = details.data.filter((role) => role !== undefined);
  const names = new Map(roles.map(({ id, name }) => [id, name]));
  const granted = new Map(roles.map(({ id, permissions }) => [id, permissions]));
  const isReady = read.data && !read.isPlaceholderData && !details.isPending && !access.isPending;

  const from = ({ name }: Standing) => {
    const sources = sourcesOf({ permission: name, environment }, holdings, granted);
    return sources.length ? sources.map((holding) => inWords(holding, names)).join(", ") : "by a rule of the server";
  };
  const sections = overview && [
    { label: "In the whole instance", standings: overview.root },
    ...(project ? [{ label: `In ${project}`, standings: overview.project }] : []),
    ...(environment ? [{ label: `In ${environment} of ${project}`, standings: overview.environment }] : []),
  ];

  return (
    <FormDrawer title={`What ${nameOf(person)} may do`} size="lg" onClose={onClose}>
      <Stack gap="md">
        <Group grow align="end">
          <Select
            label="Project"
            clearable
            clearButtonProps={{ "aria-label": "No project" }}
            searchable
            limit={50}
            placeholder="Whole instance"
            data={projects.map(({ id, name }) => ({ value: id, label: name }))}
            value={project ?? null}
            onChange={(value) => change({ in: value ?? undefined })}
          />
          <Select
            label="Environment"
            clearable
            clearButtonProps={{ "aria-label": "No environment" }}
            placeholder={project ? "None" : "Choose a project first"}
            disabled={!project}
            data={environments.map(environmentOption)}
            value={environment ?? null}
            onChange={(value) => change({ environment: value ?? undefined })}
          />
        </Group>
        <Switch
          label="Also what they may not do"
          checked={isAll}
          onChange={(event) => setAll(event.currentTarget.checked)}
        />
        <Problem error={read.error ?? access.error ?? details.error} again={() => void read.refetch()} />
        {!isReady && !read.error ? (
          <Waiting />
        ) : (
          sections?.map(({ label, standings }) => (
            <Standings
              key={label}
              label={label}
              standings={standings.filter(({ hasPermission }) => isAll || hasPermission)}
              from={from}
            />
          ))
        )}
        <RequestPreview requests={[asking]} />
      </Stack>
    </FormDrawer>
  );
}

function Standings({
  label,
  standings,
  from,
}: {
  label: string;
  standings: Standing[];
  from: (one: Standing) => string;
}) {
  return (
    <section aria-label={label}>
      <table className={classes.standings}>
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">May</th>
            <th scope="col">From where</th>
          </tr>
        </thead>
        <tbody>
          {standings.map((standing) => (
            <tr key={standing.name}>
              <td>
                <span className={standing.hasPermission ? "good" : "muted"}>
                  <span aria-hidden>{standing.hasPermission ? "✓" : "–"}</span>
                  <span className="visually-hidden">{standing.hasPermission ? "may" : "may not"}</span>
                </span>{" "}
                <span title={standing.name}>{permissionName(standing.name)}</span>
              </td>
              <td className="breaks">{standing.hasPermission ? <bdi>{from(standing)}</bdi> : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {standings.length === 0 && <Text size="sm">Nothing that needs a permission.</Text>}
    </section>
  );
}

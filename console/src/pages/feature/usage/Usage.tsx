import { Button, Group, SegmentedControl, Table, Title } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { first } from "../../../api/address";
import { serverTime } from "../../../api/clock";
import { useRead } from "../../../api/queries";
import { request } from "../../../api/request";
import { environmentOption } from "../../../parts/EnvironmentName";
import { saveAsCsv } from "../../../parts/csv";
import { Problem } from "../../../parts/Problem";
import { Waiting } from "../../../parts/Waiting";
import type { Shown } from "../FeaturePage";
import { HourBars } from "./HourBars";
import { byHour, finding } from "./hours";

/** Who asked for a feature, and what they were told. */
export function Usage({ feature }: Shown) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const hoursBack = first(search.hoursBack) === "24" ? 24 : 48;
  const params = { path: { featureName: feature.name } };
  const raw = useRead(
    request("get", "/api/admin/client-metrics/features/{featureName}/raw", {
      params: { ...params, query: { hoursBack: String(hoursBack) } },
    }),
  );
  const summary = useRead(request("get", "/api/admin/client-metrics/features/{featureName}", { params }));
  const environment =
    feature.environments.find(({ name }) => name === first(search.env)) ?? feature.environments.at(-1);
  if (!environment) return <div className="card">This project has no environment yet.</div>;
  if (raw.error && !raw.data) return <Problem error={raw.error} again={() => void raw.refetch()} />;
  if (!raw.data) return <Waiting />;
  const hours = byHour(raw.data.data, environment.name, hoursBack, new Date(serverTime(raw.dataUpdatedAt)));
  const programs = raw.data.data.filter((metric) => metric.environment === environment.name);
  const go = (changed: Record<string, string>) =>
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) => ({ ...before, ...changed }) as never,
      replace: true,
    });

  function save() {
    const rows = programs.map(({ timestamp, appName = "", yes, no }) => [
      timestamp,
      environment!.name,
      appName,
      yes,
      no,
    ]);
    saveAsCsv(feature.name, [["hour", "environment", "program", "yes", "no"], ...rows]);
  }

  return (
    <div className="card">
      <Group justify="space-between" mb="md" gap="sm">
        <Group gap="sm">
          <SegmentedControl
            size="xs"
            aria-label="Environment"
            data={feature.environments.map(environmentOption)}
            value={environment.name}
            onChange={(env) => go({ env })}
          />
          <SegmentedControl
            size="xs"
            aria-label="Hours"
            data={["24", "48"]}
            value={String(hoursBack)}
            onChange={(hours) => go({ hoursBack: hours })}
          />
        </Group>
        <Button variant="default" size="compact-sm" onClick={save} disabled={programs.length === 0}>
          Save as CSV
        </Button>
      </Group>
      <Title order={2}>{finding(hours)}</Title>
      <HourBars hours={hours} />
      <p className="muted breaks">
        Applications that asked:{" "}
        {summary.data?.seenApplications.length ? summary.data.seenApplications.join(", ") : "none"}
      </p>
      <details className="request">
        <summary>As a table</summary>
        <div className="scrolls" tabIndex={0} role="region" aria-label="Evaluations by hour and application">
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Hour (UTC)</Table.Th>
                <Table.Th>Application</Table.Th>
                <Table.Th>Yes</Table.Th>
                <Table.Th>No</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {programs.slice(0, 200).map(({ timestamp, appName, yes, no }, at) => (
                <Table.Tr key={at}>
                  <Table.Td className="figures">{timestamp.slice(0, 16).replace("T", " ")}</Table.Td>
                  <Table.Td className="breaks">{appName}</Table.Td>
                  <Table.Td className="figures">{yes}</Table.Td>
                  <Table.Td className="figures">{no}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      </details>
    </div>
  );
}

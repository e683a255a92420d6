import { Group, SegmentedControl } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { first } from "../../../api/address";
import { useRead } from "../../../api/queries";
import { request } from "../../../api/request";
import { Stacked } from "../../../parts/charts/Stacked";
import { environmentOption } from "../../../parts/EnvironmentName";
import { Unread } from "../../../parts/Unread";
import type { Shown } from "../shown";
import { finding, periodOf, periods, splits, usageOf, type Split } from "./history";

/** Who asked for a feature, and what they were told. */
export default function Usage({ feature }: Shown) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const period = periodOf(first(search.period));
  const split: Split = splits.find(({ value }) => value === first(search.split))?.value ?? "result";
  const environment =
    feature.environments.find(({ name }) => name === first(search.env)) ?? feature.environments.at(-1);
  const read = useRead(
    request("get", "/api/admin/projects/{projectId}/features/{featureName}/usage", {
      params: {
        path: { projectId: feature.project, featureName: feature.name },
        query: { environment: environment?.name, period: period.value },
      },
    }),
    { enabled: environment !== undefined },
  );
  const summary = useRead(
    request("get", "/api/admin/client-metrics/features/{featureName}", {
      params: { path: { featureName: feature.name } },
    }),
  );
  if (!environment) return <div className="card">This project has no environment yet.</div>;
  if (!read.data) return <Unread read={read} />;
  const history = read.data;
  const { series, points } = usageOf(history, split);
  // While another period is on its way, the one before is shown, under its own name.
  const shown = periodOf(history.period);
  const go = (changed: Record<string, string>) =>
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) => ({ ...before, ...changed }) as never,
      replace: true,
    });

  return (
    <>
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
          aria-label="Time"
          data={periods.map(({ value, label }) => ({ value, label }))}
          value={period.value}
          onChange={(value) => go({ period: value })}
        />
        <SegmentedControl
          size="xs"
          aria-label="Split"
          data={[...splits]}
          value={split}
          onChange={(value) => go({ split: value })}
        />
      </Group>
      <Stacked
        finding={finding(history)}
        unit={`Evaluations in ${history.environment ?? environment.name} per ${shown.of.toLowerCase()} in UTC, ${splits.find(({ value }) => value === split)?.label.toLowerCase()}`}
        of={shown.of}
        series={series}
        points={points}
        file={`usage-of-${feature.name}`}
      />
      <p className="muted breaks">
        Applications that asked in the last 24 hours:{" "}
        {summary.data?.seenApplications.length ? summary.data.seenApplications.join(", ") : "none"}
      </p>
    </>
  );
}
